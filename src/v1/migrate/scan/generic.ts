// Uses of v1 in text of any kind: shell, Ruby, YAML, templates, documents. Its syntax is unknown, so comments count
// too. Only words that look like a path or an address at the root of a host count: `/v1/users`, `$BASE/v1/$WHAT`,
// `https://api.permit.io/v1`.
import type { Use } from './calls.ts'
import { COLLECTIONS, hostsIn, INSTEAD_OF_HOST, insteadOfPath, isOther, isProduct } from './hosts.ts'

/** Replaces each character of a variable, so that offsets stay valid. Like the next one it appears in no text. */
const ANY = '\ue000'
/** Follows the slash of `\/`, as JSON may escape it. */
const ESCAPED = '\ue001'

/** Variables in the syntax of shells, templates, Ruby and documents. */
const VARIABLE =
  /\$\{\{?[^{}\n]*\}?\}|#\{[^{}\n]*\}|\{\{[^{}\n]*\}\}|\{%[^%\n]*%\}|\$\([^()\n]*\)|\$\w+|%\w+%|%s|\{[\w.]*\}|<[\w-]+>/g
const WORD = /[^\s"'`,;()<>=|[\]]+/g
const ADDRESS = /^(?:[\w+.-]*:)?\/\/(?:[^/@]*@)?([\w.\ue000-]+)(?::[\d\ue000]+)?/
const BARE_HOST = /^((?:[\w-]+\.)+[a-z]{2,}|localhost|\d+(?:\.\d+){3})(?::[\d\ue000]+)?(?=\/)/i
const PATH = /(^|[^\w.-])(v1|cloud)(?:\/\ue001?(\w+|\ue000+)?|(?=[?#]|$))/g
/** Between the host and the path: nothing, a variable with the address, or characters of a pattern. */
const AT_ROOT = /^[\W_]*$/

/** Every use in the text, in its order. @param names hosts that speak v1 only */
export function usesInText(text: string, names: readonly string[]): Use[] {
  const found: Use[] = []
  for (let start = 0; start <= text.length; ) {
    const end = text.indexOf('\n', start)
    const line = text.slice(start, end === -1 ? text.length : end)
    if (/v1|cloud/.test(line)) for (const use of pathsIn(line)) found.push({ ...use, at: start + use.at })
    for (const { at, found: name } of hostsIn(line, names))
      found.push({ at: start + at, kind: 'host', found: name, instead: INSTEAD_OF_HOST })
    start += line.length + 1
  }
  return found.sort((left, right) => left.at - right.at)
}

function* pathsIn(line: string): Generator<Use> {
  const plain = line.replaceAll('\\/', `/${ESCAPED}`).replaceAll(VARIABLE, (variable) => ANY.repeat(variable.length))
  for (const { 0: word, index } of plain.matchAll(WORD)) {
    const [address = '', host = ''] = ADDRESS.exec(word) ?? BARE_HOST.exec(word) ?? []
    if (isOther(host)) continue
    for (const match of word.slice(address.length).matchAll(PATH)) {
      const before = word.slice(address.length, address.length + match.index + (match[1] ?? '').length)
      if (!isUse(match, before, host)) continue
      const at = index + address.length + match.index
      const found = line.slice(at, at + match[0].length).trim()
      yield { at, kind: 'path', found, instead: insteadOfPath(match[3] ?? '') }
    }
  }
}

/** @param before the text between the host and the version, or before the version in a word without a host */
function isUse([, mark = '', version, collection = '']: RegExpExecArray, before: string, host: string): boolean {
  const isKnown = Object.hasOwn(COLLECTIONS, collection)
  const isOurs = isProduct(host) || isProduct(before)
  if (!isOurs && !AT_ROOT.test(before)) return false
  if (isKnown) return true
  if (version === 'cloud' || !['/', ESCAPED].includes(mark)) return false
  // without a collection it must be on a host of the product or on one in a variable
  const isOpen = collection === '' || collection.startsWith(ANY)
  return isOurs || (isOpen && (host === '' || host.includes(ANY)))
}
