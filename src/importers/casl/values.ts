// Values in conditions of CASL: constants, and templates such as `${user.id}` or `{{ user.id }}`, which applications fill
// in when they make an ability. A template is compared with the attribute of the user.

/** A text, number or boolean that conditions here may have, or what one of the user is. */
export type Value = Scalar | { readonly ref: string }
export type Scalar = string | number | boolean

/** A template that is a whole text. */
const TEMPLATE = /^(?:\$\{\s*([\w.-]+)\s*\}|\{\{\s*([\w.-]+)\s*\}\})$/
const MEMBERS = /^user(?:\.[A-Za-z_][A-Za-z0-9_-]*)+$/
/** They are what the server knows of users. */
const RESERVED = /^user\.(?:key|roles|tenants)(?:\.|$)/

/** The path of a text that is a template, without what it would be here. */
export function findTemplate(text: string): string | undefined {
  const [, dollar, braces] = TEMPLATE.exec(text) ?? []
  return dollar ?? braces
}

/**
 * The value, or why it has no equal.
 * @param userKey the attribute in templates that is the key of a user here
 */
export function readValue(value: unknown, userKey: string | undefined): Value | { readonly why: string } {
  if (typeof value === 'boolean') return value
  if (typeof value === 'number')
    return Math.abs(value) <= 2 ** 53 ? value : { why: `the number ${value} is beyond what conditions hold` }
  if (typeof value !== 'string') return { why: `\`${shown(value)}\` is not a text, a number, true or false` }
  if (!value.isWellFormed()) return { why: 'a text has an unpaired surrogate' }
  const path = findTemplate(value)
  if (path === undefined)
    return /\$\{|\{\{/.test(value) ? { why: `\`${value}\` is a text with a template inside of it` } : value
  if (userKey !== undefined && path === `user.${userKey}`) return { ref: 'user.key' }
  if (!MEMBERS.test(path)) return { why: `\`${value}\` does not name an attribute of \`user\`` }
  if (RESERVED.test(path)) return { why: `\`${path}\` is known by the server and not an attribute of the user` }
  return { ref: path }
}

export const isRef = (value: unknown): value is { readonly ref: string } =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, 'ref')

export const isRefused = (value: unknown): value is { readonly why: string } =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, 'why')

export function shown(value: unknown): string {
  const text = typeof value === 'function' ? 'a function' : (JSON.stringify(value) ?? String(value))
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}
