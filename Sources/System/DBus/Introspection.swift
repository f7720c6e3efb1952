import EventLoop

/// The description of an object in XML (D-Bus specification, "Introspection Data Format").
@EventLoop
enum Introspection {
    static func text(of object: ExportedObject?, at path: ObjectPath, children: [ObjectPath]) -> String {
        var lines = [
            #"<!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN""#,
            #" "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">"#,
            "<node>",
        ]
        let standard = object.map { [introspectable, peer, properties] + ($0.isManager ? [manager] : []) }
        for interface in (standard ?? []) + (object?.interfaces ?? []) { lines += self.lines(of: interface) }
        let prefix = path.text == "/" ? 1 : path.text.count + 1
        let names = Set(children.map { $0.text.dropFirst(prefix).prefix { $0 != "/" } })
        lines += names.sorted().map { #"  <node name="\#($0)"/>"# }
        return (lines + ["</node>"]).joined(separator: "\n") + "\n"
    }

    private static func lines(of interface: ExportedInterface) -> [String] {
        var lines = [#"  <interface name="\#(interface.name)">"#]
        for method in interface.methods {
            let arguments =
                method.inputs.map { argument($0, #" direction="in""#) }
                + method.outputs.map { argument($0, #" direction="out""#) }
            lines += element("method", method.name, arguments)
        }
        for signal in interface.signals {
            lines += element("signal", signal.name, signal.arguments.map { argument($0, "") })
        }
        for property in interface.properties {
            let access = property.set == nil ? "read" : "readwrite"
            lines.append(
                #"    <property name="\#(property.name)" type="\#(property.type)" access="\#(access)"/>"#
            )
        }
        return lines + ["  </interface>"]
    }

    private static func element(_ kind: String, _ name: String, _ arguments: [String]) -> [String] {
        guard !arguments.isEmpty else { return [#"    <\#(kind) name="\#(name)"/>"#] }
        return [#"    <\#(kind) name="\#(name)">"#] + arguments + ["    </\(kind)>"]
    }

    private static func argument(_ argument: (name: String, type: String), _ direction: String) -> String {
        let escaped = argument.name.filter { $0.isLetter || $0.isNumber || $0 == "_" }
        return #"      <arg name="\#(escaped)" type="\#(argument.type)"\#(direction)/>"#
    }

    // MARK: - What every object has

    private static let introspectable = ExportedInterface(
        StandardInterface.introspectable,
        methods: [told("Introspect", [:], ["xml_data": "s"])]
    )

    private static let peer = ExportedInterface(
        StandardInterface.peer,
        methods: [told("Ping", [:], [:]), told("GetMachineId", [:], ["machine_uuid": "s"])]
    )

    private static let properties = ExportedInterface(
        StandardInterface.properties,
        methods: [
            told("Get", ["interface": "s", "name": "s"], ["value": "v"]),
            told("GetAll", ["interface": "s"], ["properties": "a{sv}"]),
            told("Set", ["interface": "s", "name": "s", "value": "v"], [:]),
        ],
        signals: [
            ExportedSignal(
                "PropertiesChanged",
                arguments: ["interface": "s", "changed": "a{sv}", "invalidated": "as"]
            )
        ]
    )

    private static let manager = ExportedInterface(
        StandardInterface.objectManager,
        methods: [told("GetManagedObjects", [:], ["objects": "a{oa{sa{sv}}}"])],
        signals: [
            ExportedSignal("InterfacesAdded", arguments: ["object": "o", "interfaces": "a{sa{sv}}"]),
            ExportedSignal("InterfacesRemoved", arguments: ["object": "o", "interfaces": "as"]),
        ]
    )

    /// Calls of these never get as far as a handler.
    private static func told(
        _ name: String,
        _ inputs: KeyValuePairs<String, String>,
        _ outputs: KeyValuePairs<String, String>
    ) -> ExportedMethod {
        ExportedMethod(name, inputs: inputs, outputs: outputs) { $0.fail(.failed("not to be called")) }
    }
}
