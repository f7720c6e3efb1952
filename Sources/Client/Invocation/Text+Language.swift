import EventLoop
package import PTTMessages

extension Text {
    private static let catalogue = Gettext(domain: Product.textDomain)

    /// In the language of the person who runs this program.
    package var localized: String { translated(by: Self.catalogue.translation) }
}

/// A text of ours in the language of the person who runs this program. `po/extract` finds its literals as
/// those of ``Text``.
package func localized(_ literal: Text.Literal) -> String { Text(literal).localized }
