// Short expectations: `ana may [read, write] invoice:17 in acme`, `ana, ben may not approve invoice`, and the heads of
// lists, `who may approve invoice:17 in acme`. Words have neither spaces, commas nor brackets: for other keys there is
// the long form.

export interface ShortLine {
  readonly users: readonly string[]
  readonly allow: boolean
  readonly actions: readonly string[]
  /** a resource type, or `type:key` */
  readonly resource: string
  readonly tenant: string | undefined
}

const WORD = '[^\\s,[\\]]+'
const LIST = `${WORD}(?:\\s*,\\s*${WORD})*`
const WORDS = `(${LIST}|\\[\\s*${LIST}\\s*\\])`
const ABOUT = `${WORDS}\\s+(${WORD})(?:\\s+in\\s+(${WORD}))?`
const MAY = `${WORDS}\\s+may(\\s+not)?\\s+${ABOUT}`
const LINE = new RegExp(`^${MAY}$`)

/** What editors get for a line, and for the head of a list. */
export const LINE_PATTERN = `^\\s*${MAY}\\s*$`
export const LIST_HEAD_PATTERN = `^who\\s+may\\s+${ABOUT}\\s*$`

const splitWords = (list: string): string[] =>
  list
    .replace(/[[\]]/g, '')
    .split(',')
    .map((word) => word.trim())

/** Undefined when the text is not an expectation. */
export function readShortLine(text: string): ShortLine | undefined {
  const found = LINE.exec(text.trim())
  if (found === null) return undefined
  const [, users = '', not, actions = '', resource = '', tenant] = found
  return { users: splitWords(users), allow: not === undefined, actions: splitWords(actions), resource, tenant }
}

/** What is wrong with a text that is not an expectation. */
export function shortLineSentence(text: string): string {
  const form = 'write `USER may ACTION RESOURCE`, `USER may not ACTION RESOURCE`, and `in TENANT` after it'
  const words = text.trim().split(/\s+/)
  if (!words.includes('may')) {
    const other = words.find((word) => /^(can|must|should|has|cannot|mayn't|maynot|is|does)$/i.test(word))
    return other === undefined ? `an expectation has the word \`may\`: ${form}` : `\`${other}\` is not \`may\`: ${form}`
  }
  if (/\b(on|at|of|for|within|to)\s/.test(text.slice(text.indexOf(' may '))))
    return `only \`in TENANT\` follows a resource: ${form}`
  return `this expectation cannot be read: ${form}; keys with spaces need the long form`
}
