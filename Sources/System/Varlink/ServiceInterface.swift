import EventLoop
import JSON

/// `org.varlink.service`, which every service offers (<https://varlink.org/Service>).
extension VarlinkInterface {
    @EventLoop
    static func service(_ info: VarlinkServiceInfo, offering interfaces: [VarlinkInterface])
        -> VarlinkInterface
    {
        let offered =
            [(name: serviceName, description: serviceDescription)]
            + interfaces.map { (name: $0.name, description: $0.description) }
        let information: JSONText = [
            "vendor": .string(info.vendor),
            "product": .string(info.product),
            "version": .string(info.version),
            "url": .string(info.url),
            "interfaces": .array(offered.map { JSON.string($0.name) }),
        ]
        return VarlinkInterface(
            serviceDescription,
            methods: [
                "GetInfo": { call throws(VarlinkError) in
                    if let unknown = call.parameters.members.first { throw .invalidParameter(unknown.key) }
                    call.reply(information)
                },
                "GetInterfaceDescription": { call throws(VarlinkError) in
                    let name = try call.decode(InterfaceParameters.self).interface
                    guard let found = offered.first(where: { $0.name.hasSameBytes(as: name) }) else {
                        throw .interfaceNotFound(name)
                    }
                    call.reply(["description": .string(found.description)])
                },
            ]
        )
    }

    private struct InterfaceParameters: Decodable {
        let interface: String
    }

    private static let serviceName = "org.varlink.service"

    private static let serviceDescription = """
        # The interface of every Varlink service
        interface org.varlink.service

        # The origin of the service, and its interfaces
        method GetInfo() -> (vendor: string, product: string, version: string, url: string, interfaces: []string)

        # The definition of one of the interfaces
        method GetInterfaceDescription(interface: string) -> (description: string)

        # The service does not have this interface
        error InterfaceNotFound (interface: string)

        # The interface has no such method
        error MethodNotFound (method: string)

        # The method is only declared
        error MethodNotImplemented (method: string)

        # A parameter is missing, unknown, or of the wrong type or value
        error InvalidParameter (parameter: string)

        # The caller may not do this
        error PermissionDenied ()

        # The method has several replies and must be called with "more"
        error ExpectedMore ()

        """
}
