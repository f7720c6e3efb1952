import CLinux
import Glibc

/// The catalogue of a program's texts in the language of the person (gettext(3)), for as long as it runs.
///
/// Of this process only the texts that are asked for are translated: its locale stays "C", and with it the
/// messages of libraries, which end up in logs.
package final class Gettext: Sendable {
    private let domain: String
    /// Nil if the language has no locale on this machine: texts stay in English.
    // The C library never changes a locale.
    private nonisolated(unsafe) let locale: locale_t?

    /// With the catalogues that are installed beside the program: a text that is in none stays in English.
    /// `TEXTDOMAINDIR` names another directory that has `LANGUAGE/LC_MESSAGES/DOMAIN.mo` (gettext(1)).
    package init(domain: String) {
        self.domain = domain
        locale = newlocale(LC_MESSAGES_MASK, "", nil)
        if let directory = Environment.variable("TEXTDOMAINDIR") ?? Self.installed {
            bindtextdomain(domain, directory)
        }
        bind_textdomain_codeset(domain, "UTF-8")
    }

    /// Nil without /proc: the C library then looks in its own directory.
    private static var installed: String? {
        (try? Environment.programDirectory()).map { $0 + "/../share/locale" }
    }

    /// - Returns: The text itself if the catalogue does not have it.
    package func translation(of text: String) -> String {
        guard let locale else { return text }
        let former = uselocale(locale)
        defer { uselocale(former) }
        // Its answer may be the text that it was given.
        return text.withCString { given in dgettext(domain, given).map { String(cString: $0) } ?? text }
    }
}
