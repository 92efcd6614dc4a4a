// Text that others wrote, such as keys and descriptions, as a terminal or a page may show it: nothing in it moves the
// cursor, turns the direction of the text around it, or cannot be seen.

/** What a terminal takes for a command. */
const CONTROL = /\p{Cc}/gu
/** What reorders text (U+202E), hides in it (U+200B), begins a line, or is half of a pair: `a` and `a\u{200b}` differ. */
const UNSEEN = /[\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu

const escaped = (sign: string): string => `\\u{${sign.codePointAt(0)!.toString(16)}}`

/** On one line, without control characters; what else cannot be seen is written as `\u{202e}`. */
export const plain = (text: string): string => text.replace(CONTROL, '\ufffd').replace(UNSEEN, escaped)

/** The same, with its lines and tabs. */
export const plainLines = (text: string): string =>
  text.replace(/(?![\t\n])\p{Cc}/gu, '\ufffd').replace(UNSEEN, escaped)
