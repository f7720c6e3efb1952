import EventLoop
import JSON

/// `org.varlink.service`, which every service offers (<https://varlink.org/Service>).
extension VarlinkInterface {
    @EventLoop
    static func service(_ info: VarlinkServiceInfo, offering interfaces: [VarlinkInterface])
        -> VarlinkInterface
    {
        var descriptions = [UTF8Text(serviceName): serviceDescription]
        for interface in interfaces { descriptions[UTF8Text(interface.name)] = interface.description }
        let names = [serviceName] + interfaces.map(\.name)
        return VarlinkInterface(serviceDescription) { call in
            do throws(VarlinkError) {
                call.reply(try answer(call, info, names, descriptions))
            } catch {
                call.fail(error)
            }
        }
    }

    @EventLoop
    private static func answer(
        _ call: VarlinkCall,
        _ info: VarlinkServiceInfo,
        _ names: [String],
        _ descriptions: [UTF8Text: String]
    ) throws(VarlinkError) -> JSONObject {
        if call.method == "GetInfo" {
            _ = try call.decode(NoParameters.self)
            return [
                "vendor": .string(info.vendor),
                "product": .string(info.product),
                "version": .string(info.version),
                "url": .string(info.url),
                "interfaces": .array(names.map(JSON.string)),
            ]
        }
        let asked = try call.decode(InterfaceParameters.self).interface
        guard let description = descriptions[UTF8Text(asked)] else { throw .interfaceNotFound(asked) }
        return ["description": .string(description)]
    }

    private struct NoParameters: Decodable {}

    private struct InterfaceParameters: Decodable {
        let interface: String
    }

    private static let serviceName = "org.varlink.service"

    private static let serviceDescription = """
        # What every Varlink service says about itself
        interface org.varlink.service

        # Who made the service, and the interfaces that it offers
        method GetInfo() -> (vendor: string, product: string, version: string, url: string, interfaces: []string)

        # The definition of one of the interfaces
        method GetInterfaceDescription(interface: string) -> (description: string)

        # The service does not offer this interface
        error InterfaceNotFound (interface: string)

        # The interface has no such method
        error MethodNotFound (method: string)

        # The method exists in the definition only
        error MethodNotImplemented (method: string)

        # A parameter is missing, not known, or has a wrong type or value
        error InvalidParameter (parameter: string)

        # The caller may not do this
        error PermissionDenied ()

        # The method answers several times and must be called with "more"
        error ExpectedMore ()

        """
}
