// Which item of a list in the body an error is about. A 422 has it in its `loc`; for all other errors of a bulk call it
// is named in the message and in `additional_info`; so is the part of a policy.
import { isZerohopError } from '../model/errors.ts'
import { shortText } from '../model/shorten.ts'
import type { ListItem, Problem } from './errors.ts'

/** `problem`, and, when the error is about an item of a list in `body`, with that item and a message that names it. */
export function namingItem(problem: Problem, error: unknown, body: unknown): Problem {
  const item = problem.detail === undefined && problem.status < 500 ? findItem(error, body) : undefined
  if (item === undefined) return problem
  return { ...problem, item, message: itemPrefix(item) + problem.message }
}

/** What the message begins with: the item that it is about. */
export function itemPrefix({ loc, index, key }: ListItem): string {
  if (index === null) return `${loc.slice(1).join('.')}: `
  const list = typeof loc[1] === 'number' ? 'body' : loc.slice(1, loc.indexOf(index)).join('.')
  const named = key === null ? '' : ` (\`${key}\`)`
  return `${list}[${index}]${named}: `
}

function findItem(error: unknown, body: unknown): ListItem | undefined {
  if (!isZerohopError(error) || error.path?.[0] !== 'body') return undefined
  let value = body
  for (const member of error.path.slice(1)) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, member)) break
    value = (value as Record<string | number, unknown>)[member]
    if (typeof member === 'number') return { loc: error.path, index: member, key: formatName(value) }
  }
  // the maps of a policy file have no items, and its reader wants to find the place
  return error.path[1] === 'policy' && error.path.length > 2 ? { loc: error.path, index: null, key: null } : undefined
}

/**
 * The members that form the name of an item, by the first of them: joined like the stored keys of assignments and
 * relationship tuples.
 */
const NAMES = [['key'], ['subject', 'relation', 'object'], ['user', 'role', 'tenant', 'resource_instance']] as const

function formatName(item: unknown): string | null {
  if (typeof item === 'string') return shortText(item)
  if (typeof item !== 'object' || item === null) return null
  const members = item as Readonly<Record<string, unknown>>
  const names = NAMES.find(([first]) => typeof members[first] === 'string')
  if (names === undefined) return null
  const texts = names.map((name) => members[name]).filter((text) => typeof text === 'string')
  return shortText(texts.join('/'))
}
