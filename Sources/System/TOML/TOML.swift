import CTOML
package import JSON

/// A text that is not TOML, or does not match the configuration that the program expects.
package struct TOMLError: Error, Equatable, CustomStringConvertible {
    /// A position in the text, both counted from 1.
    package struct Place: Equatable, Sendable {
        package let line: Int
        package let column: Int
    }

    /// Nil if a key is missing at the top level, or the error is about the whole text.
    package let place: Place?
    package let reason: String

    package init(place: Place?, reason: String) {
        self.place = place
        self.reason = reason
    }

    /// `line 3, column 1: microphne is not known`
    package var description: String {
        guard let place else { return reason }
        return "line \(place.line), column \(place.column): \(reason)"
    }
}

/// TOML 1.0 (<https://toml.io/en/v1.0.0>), parsed by toml++.
package enum TOML {
    /// Decodes a value of `type`, whose optional members may be missing, from a whole configuration text.
    /// Dates and times are strings.
    ///
    /// - Throws: The mistake and its place; also for a key that `type` does not have.
    package static func decode<Value: Decodable>(
        _ type: Value.Type = Value.self,
        from text: String
    ) throws(TOMLError) -> Value {
        let json = try parse(text)
        do throws(JSONDecodingError) {
            return try json.decode(type)
        } catch {
            throw TOMLError(place: place(of: error.steps, in: text), reason: error.description)
        }
    }

    /// Finds a value, or its key, which only an element of an array does not have, by the steps from the
    /// outermost table on. The text, valid TOML, is parsed again: meant for messages and for editing.
    ///
    /// - Returns: The place of the last step that exists; nil if the first one does not.
    package static func place(of path: [JSON.Step], in text: String, isKey: Bool = false)
        -> TOMLError.Place?
    {
        var keys: [CChar] = []
        let sizes: [Int] = path.map { step in
            switch step {
            case .key(let key):
                keys += key.utf8.map { CChar(bitPattern: $0) }
                return key.utf8.count
            case .index(let index): return -1 - index
            }
        }
        let found = text.withCString {
            ctoml_find($0, UInt(text.utf8.count), keys, sizes, UInt(sizes.count), isKey)
        }
        return TOMLError.Place(found)
    }

    /// The document as an object, for a format whose parts are decoded one by one. Dates and times are
    /// strings.
    package static func parse(_ text: String) throws(TOMLError) -> JSON {
        var place = ctoml_place()
        var message: UnsafeMutablePointer<CChar>?
        let converted = text.withCString { ctoml_to_json($0, UInt(text.utf8.count), &place, &message) }
        defer {
            ctoml_release(converted)
            ctoml_release(message)
        }
        guard let converted else {
            let reason = message.map { String(cString: $0) } ?? "out of memory"
            throw TOMLError(place: TOMLError.Place(place), reason: reason)
        }
        do throws(JSONSyntaxError) {
            return try JSON(parsing: String(cString: converted))
        } catch {
            throw TOMLError(place: nil, reason: error.problem.rawValue)
        }
    }
}

extension TOMLError.Place {
    fileprivate init?(_ place: ctoml_place) {
        guard place.line > 0 else { return nil }
        self.init(line: Int(place.line), column: Int(place.column))
    }
}
