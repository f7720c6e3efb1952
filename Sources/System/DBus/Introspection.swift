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
            lines += element("method", name: method.name, children: arguments)
        }
        for signal in interface.signals {
            lines += element("signal", name: signal.name, children: signal.arguments.map { argument($0, "") })
        }
        for property in interface.properties {
            let access = property.set == nil ? "read" : "readwrite"
            lines.append(
                #"    <property name="\#(property.name)" type="\#(property.type)" access="\#(access)"/>"#
            )
        }
        return lines + ["  </interface>"]
    }

    private static func element(_ tag: String, name: String, children: [String]) -> [String] {
        guard !children.isEmpty else { return [#"    <\#(tag) name="\#(name)"/>"#] }
        return [#"    <\#(tag) name="\#(name)">"#] + children + ["    </\(tag)>"]
    }

    private static func argument(_ argument: (name: String, type: String), _ direction: String) -> String {
        #"      <arg name="\#(argument.name)" type="\#(argument.type)"\#(direction)/>"#
    }

    // MARK: - Standard interfaces

    private static let introspectable = ExportedInterface(
        StandardInterface.introspectable,
        methods: [declared("Introspect", outputs: ["xml_data": "s"])]
    )

    private static let peer = ExportedInterface(
        StandardInterface.peer,
        methods: [declared("Ping"), declared("GetMachineId", outputs: ["machine_uuid": "s"])]
    )

    private static let properties = ExportedInterface(
        StandardInterface.properties,
        methods: [
            declared("Get", inputs: ["interface": "s", "name": "s"], outputs: ["value": "v"]),
            declared("GetAll", inputs: ["interface": "s"], outputs: ["properties": "a{sv}"]),
            declared("Set", inputs: ["interface": "s", "name": "s", "value": "v"]),
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
        methods: [declared("GetManagedObjects", outputs: ["objects": "a{oa{sa{sv}}}"])],
        signals: [
            ExportedSignal("InterfacesAdded", arguments: ["object": "o", "interfaces": "a{sa{sv}}"]),
            ExportedSignal("InterfacesRemoved", arguments: ["object": "o", "interfaces": "as"]),
        ]
    )

    /// A method that is only declared: the connection itself handles its calls.
    private static func declared(
        _ name: String,
        inputs: KeyValuePairs<String, String> = [:],
        outputs: KeyValuePairs<String, String> = [:]
    ) -> ExportedMethod {
        ExportedMethod(name, inputs: inputs, outputs: outputs) { $0.fail(.failed("not to be called")) }
    }
}
