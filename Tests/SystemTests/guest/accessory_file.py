"""What an accessory has and sends, from its TOML file (Documentation/Accessories.md)."""
import os
import tomllib

# In a checkout under test, as installed, as in the image.
FOLDERS = [
    "/share/in/accessories",
    "/usr/local/share/pushtotalk/accessories",
    "/usr/share/pushtotalk/accessories",
    "/opt/guest/accessories",
]


class AccessoryFile:
    def __init__(self, name):
        """`name`: of a file without .toml, or a path with a slash."""
        paths = [name] if "/" in name else [f"{folder}/{name}.toml" for folder in FOLDERS]
        path = next((path for path in paths if os.path.exists(path)), None)
        if path is None:
            raise ValueError(f"there is no accessory file {name}")
        with open(path, "rb") as file:
            table = tomllib.load(file)
        self.identifier = os.path.basename(path).removesuffix(".toml")
        self.inputs = [Input(table) for table in table["input"]]
        self.serial = next((uuid(input["serial"]) for input in table["input"] if "serial" in input), None)
        self.advertises = any("advertisement" in input for input in table["input"])
        self.is_headset = "avrcp" in table.get("match", {}).get("transport", [])
        self.services = [uuid(text) for text in table.get("match", {}).get("service", [])]
        connect = table.get("connect", {})
        self.needs_bond = connect.get("bond") == "required"
        # Attributes that are written, and those that are only read.
        written = connect.get("write", []) + [table[name] for name in ("led",) if name in table]
        self.written = [attribute(entry) for entry in written]
        self.read = [attribute(table["battery"])] if "battery" in table else []

    @property
    def roles(self):
        return {role for input in self.inputs for role in input.roles}

    def pressed(self, role, held):
        """What a press of `role` sends while the roles in `held` are down: (input, bytes) in order."""
        self.check(role)
        return self.frames([f"{role} down", f"arm {role}", f"{role} tap"], role, held | {role})

    def released(self, role, held):
        """Empty if the accessory never reports the release."""
        self.check(role)
        return self.frames([f"{role} up", f"fire {role}", "released"], role, held - {role})

    def check(self, role):
        if role not in self.roles:
            raise ValueError(f"{self.identifier} has no button {role}")

    def frames(self, meanings, role, level):
        frames = [(number, input.value(meanings, role, level)) for number, input in enumerate(self.inputs)]
        return [(number, value) for number, value in frames if value is not None]


class Input:
    def __init__(self, table):
        self.attribute = attribute(table) if "characteristic" in table else None
        # Masks of roles, and values with their meanings.
        self.bits = {int(mask, 16): words(meaning)[0] for mask, meaning in table.get("bits", {}).items()}
        self.values = [(bytes.fromhex(value), words(meaning)) for value, meaning in table.get("bytes", {}).items()]
        self.values += [(text.encode(), words(meaning)) for text, meaning in table.get("tokens", {}).items()]
        self.roles = set(self.bits.values()) | {
            role for _, meanings in self.values for meaning in meanings for role in [role_of(meaning)] if role
        }
        self.idle = bytes([0])

    def value(self, meanings, role, level):
        """The first of the meanings that this input can send; nil if it does not report the role."""
        if role not in self.roles:
            return None
        if self.bits:
            byte, seen = 0, set()
            for mask, other in sorted(self.bits.items()):
                if other in level and other not in seen:
                    byte |= mask
                    seen.add(other)
            return bytes([byte])
        for meaning in meanings:
            for value, present in self.values:
                if meaning in present:
                    return value
        return None


def words(meaning):
    return meaning if isinstance(meaning, list) else [meaning]


def role_of(meaning):
    match meaning.split():
        case ["arm" | "fire", role]:
            return role
        case [role, "down" | "up" | "tap"]:
            return role
        case _:
            return None


def attribute(table):
    return uuid(table["service"]), uuid(table["characteristic"])


def uuid(text):
    """128 bits, lower case; short ones lie on the Bluetooth Base UUID."""
    text = text.lower()
    return text if len(text) == 36 else f"{text.rjust(8, '0')}-0000-1000-8000-00805f9b34fb"
