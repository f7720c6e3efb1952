// PTTMessages
