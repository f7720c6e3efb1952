// AccessoryCore
