// What is wrong with the form of a policy file, in one sentence each, with the nearest word that is allowed.
import { nearestName } from '../../model/nearest-name.ts'
import { shortText } from '../../model/shorten.ts'
import type { Misfit, ShapeType } from '../rules/shape.ts'

/** So many words are listed when none is near. */
const LISTED_MAX = 20

const TYPES: Readonly<Record<ShapeType, string>> = {
  string: 'a text',
  integer: 'a whole number',
  boolean: 'true or false',
  object: 'a map',
  array: 'a list',
}

export function formSentence(misfit: Misfit): string {
  const name = `\`${shortText(String(misfit.path.at(-1) ?? ''))}\``
  switch (misfit.kind) {
    case 'missing':
      return `${name} is missing`
    case 'unknown':
      return `unknown field ${name}${hint(String(misfit.path.at(-1)), misfit.names)}`
    case 'word':
      return `${shown(misfit.got)} is not allowed here${hint(String(misfit.got), misfit.words)}`
    default:
      return `expected ${misfit.wanted.map((type) => TYPES[type]).join(' or ')}, found ${shown(misfit.got)}${advice(misfit)}`
  }
}

/** `: did you mean …?`, or what is allowed; nothing when that would be too long. */
export function hint(name: string, names: readonly string[]): string {
  const nearest = nearestName(name, names)
  if (nearest !== undefined) return `: did you mean \`${nearest}\`?`
  return names.length === 0 || names.length > LISTED_MAX ? '' : `: choose from ${names.join(', ')}`
}

function shown(value: unknown): string {
  if (value === null || value === undefined) return 'nothing'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object') return 'a map'
  if (typeof value === 'string') return `\`${shortText(value)}\``
  return typeof value === 'number' ? `the number ${value}` : String(value)
}

/** What is usually meant: `404` without quotes is a number, and `true` is a truth value. */
function advice({ wanted, got }: Misfit & { readonly kind: 'type' }): string {
  const isList = Array.isArray(got)
  if (wanted.includes('string') && /^(number|boolean)$/.test(typeof got)) return ': put it in quotes'
  if (wanted.includes('array') && typeof got === 'object' && got !== null) return ': begin each item with `- `'
  if (wanted.join() === 'object' && isList && typeof got[0] === 'string')
    return `: write each as \`${shortText(got[0])}: …\``
  return ''
}
