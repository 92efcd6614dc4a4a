// Names of another engine as keys. A character that a key cannot have is written as `--` and two hexadecimal digits for
// each byte of its UTF-8 form: `/data` is `--2fdata`. No two names have the same key, the name can be read out of the
// key, and a name that is a key already stays as it is, unless it looks as if it were encoded: then its `-` is `--2d`.
// Each character is encoded without the ones before it, so what a name begins with is what its key begins with.
import { ZerohopError } from '../../model/errors.ts'
import { KEY_BYTES_MAX } from '../../model/limits.ts'

/** Users may have more characters in their keys than other objects (src/model/keys.ts). */
export type KeyForm = 'ordinary' | 'user'

const PLAIN = { ordinary: /^[A-Za-z0-9_-]$/, user: /^[A-Za-z0-9|@+._-]$/ } as const
const LOOKS_ENCODED = /^--[0-9a-f]{2}/
const ENCODED = /((?:--[0-9a-f]{2})+)/

/**
 * The key of a name.
 * @throws INPUT_INVALID when the name is empty or not well-formed, KEY_TOO_LONG
 */
export function encodeKey(name: string, form: KeyForm = 'ordinary'): string {
  if (name === '' || !name.isWellFormed())
    throw new ZerohopError('INPUT_INVALID', {
      reason: name === '' ? 'a name is empty' : 'a name has an unpaired surrogate',
    })
  const key = encode(name, form)
  if (key.length > KEY_BYTES_MAX)
    throw new ZerohopError('KEY_TOO_LONG', { kind: 'imported', bytes: key.length, limit: KEY_BYTES_MAX })
  return key
}

function encode(name: string, form: KeyForm): string {
  let key = ''
  let at = 0
  const isDots = form === 'user' && (name === '.' || name === '..')
  for (const char of name) {
    const isKept = !isDots && PLAIN[form].test(char) && !LOOKS_ENCODED.test(name.slice(at, at + 4))
    key += isKept ? char : encodeBytes(char)
    at += char.length
  }
  return key
}

const encodeBytes = (text: string): string =>
  [...Buffer.from(text)].map((byte) => `--${byte.toString(16).padStart(2, '0')}`).join('')

/** The name of a key; undefined for what is the key of no name. */
export function decodeKey(key: string, form: KeyForm = 'ordinary'): string | undefined {
  const name = key
    .split(ENCODED)
    .map((part, at) => (at % 2 === 1 ? Buffer.from(part.replaceAll('--', ''), 'hex').toString('utf8') : part))
    .join('')
  return name !== '' && encode(name, form) === key ? name : undefined
}

/**
 * What the keys of all names begin with that begin with this text; undefined when no text is, because what follows
 * a last `-` decides how that is written.
 */
export function encodePrefix(prefix: string, form: KeyForm = 'ordinary'): string | undefined {
  return /-(-[0-9a-f]?)?$/.test(prefix) ? undefined : prefix === '' ? '' : encodeKey(prefix, form)
}

/** The same functions for the application, as text of a module. */
export const KEY_FUNCTIONS = `const bytes = (text) =>
  [...new TextEncoder().encode(text)].map((byte) => '--' + byte.toString(16).padStart(2, '0')).join('')

function encode(name, plain) {
  let result = ''
  let at = 0
  for (const char of name) {
    const isKept = plain.test(char) && !/^--[0-9a-f]{2}/.test(name.slice(at, at + 4))
    result += isKept ? char : bytes(char)
    at += char.length
  }
  return result
}

/** The key of a resource type, an action, a role, a tenant or an instance. */
export const key = (name) => encode(name, /^[A-Za-z0-9_-]$/)

/** The key of a user. */
export const userKey = (name) =>
  name === '.' || name === '..' ? bytes(name) : encode(name, /^[A-Za-z0-9|@+._-]$/)
`
