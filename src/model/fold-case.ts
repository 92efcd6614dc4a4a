// Texts as a search compares them: composed (NFC) and with the case folded, as Unicode's default folding says. `STRASSE`
// and `straße` are one text then, `Σ`, `σ` and `ς` one letter, and the Turkish `ı` is not `i`. Keys are compared as
// they are: this is for searches alone.

const ASCII = /^[\0-\x7f]*$/

/**
 * The folded text. It is the lower case of the upper case of the lower case: so every letter that folds to the same stands
 * for one, but for `ı`, whose upper case is that of `i`, and `ς`, which a lower case has at the end of a word.
 */
export function foldCase(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase()
  const folded = text.normalize('NFC').replaceAll(/[^ı]+/gu, (part) => part.toLowerCase().toUpperCase().toLowerCase())
  return folded.replaceAll('ς', 'σ').normalize('NFC')
}
