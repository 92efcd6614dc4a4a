// Paths and hosts of the first version in the strings of a language that has a reader.
import type { Use } from './calls.ts'
import { COLLECTIONS, hostsIn, INSTEAD_OF_HOST, insteadOfPath, isOther, isProduct } from './hosts.ts'
import type { Literal } from './tokenizer.ts'

const HOST = /https?:\/\/([\w.-]+|\{\})(?::(?:\d+|\{\}))?/
/** The form in tables of routes and mocks: `PUT /v1/users`. */
const VERB = /^(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS) +(?=\/)/
/** What may precede a path at the root of a host: `/access/v1/…` belongs to another API. */
const AT_ROOT = /^(?:https?:\/\/)?[^/]*$/
const PATH = /(^|[^\w.-])(v1|cloud)(?:\/(\w+|\{\})?|$)/g

/** Paths of v1, and of the PDP's proxy routes to it, in a string. A literal address of another service is not a use. */
export function* paths({ start, text }: Literal): Generator<Use> {
  const host = HOST.exec(text)?.[1]
  if ((host !== undefined && isOther(host)) || /\s/.test(text.trim().replace(VERB, ''))) return
  for (const match of text.matchAll(PATH)) {
    const [whole, before = '', version, collection = ''] = match
    const isPath = before === '/' || (match.index === 0 && before === '')
    const known = Object.hasOwn(COLLECTIONS, collection)
    if (!isPath || (before === '' && !known)) continue
    if (version === 'cloud' && !known) continue
    const isOurs = isProduct(host ?? '')
    const isOpen = (collection === '' || collection === '{}') && AT_ROOT.test(text.slice(0, match.index))
    if (version === 'v1' && !known && !isOpen && !isOurs) continue
    const at = start + match.index
    const found = whole.startsWith('/') || before === '' ? whole : whole.slice(before.length)
    yield { at, kind: 'path', found, instead: insteadOfPath(collection) }
  }
}

/** Hosts of v1 in a string. */
export function* hosts({ start, text }: Literal, names: readonly string[]): Generator<Use> {
  for (const { at, found } of hostsIn(text, names))
    yield { at: start + at, kind: 'host', found, instead: INSTEAD_OF_HOST }
}
