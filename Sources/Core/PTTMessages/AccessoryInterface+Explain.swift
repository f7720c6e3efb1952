extension AccessoryInterface {
    package struct ExplainRequest: Equatable, Codable, Sendable {
        /// As it is listed, or the name of the device.
        package let identifier: String

        package init(identifier: String) {
            self.identifier = identifier
        }
    }

    /// Why a device is used as it is.
    package struct ExplainReply: Equatable, Codable, Sendable {
        /// The comparison with one accessory file.
        package struct FileMatch: Equatable, Codable, Sendable {
            package let accessory: String
            package let path: String
            package let matches: Bool
            package let reasons: [String]

            package init(accessory: String, path: String, matches: Bool, reasons: [String]) {
                self.accessory = accessory
                self.path = path
                self.matches = matches
                self.reasons = reasons
            }
        }

        package let name: String?
        package let address: String?
        package let addressType: AddressType?
        package let services: [String]?
        package let transport: String?
        package let product: String?
        package let keys: [String]?
        package let accessory: String?
        package let files: [FileMatch]

        package init(
            name: String?,
            address: String? = nil,
            addressType: AddressType? = nil,
            services: [String]? = nil,
            transport: String? = nil,
            product: String? = nil,
            keys: [String]? = nil,
            accessory: String?,
            files: [FileMatch]
        ) {
            self.name = name
            self.address = address
            self.addressType = addressType
            self.services = services
            self.transport = transport
            self.product = product
            self.keys = keys
            self.accessory = accessory
            self.files = files
        }
    }
}
