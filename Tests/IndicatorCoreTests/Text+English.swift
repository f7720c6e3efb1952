import PTTMessages

/// Tests read what is shown in English.
func == (text: Text?, english: String?) -> Bool { text?.english == english }
