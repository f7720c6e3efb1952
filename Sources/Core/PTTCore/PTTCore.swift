// PTTCore
