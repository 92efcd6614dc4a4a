// The things that a sentence of an explanation names, so that each can be opened. The sentences are those of
// src/image/explain/why-words.ts. A name that is not found stays text. Nothing here knows the page.

export type Noun =
  | { readonly is: 'user' | 'tenant' | 'role' | 'set' | 'type' | 'instance'; readonly key: string }
  /** a part of a type: a role on its instances, an action, a relation */
  | { readonly is: 'part'; readonly key: string; readonly tab: 'actions' | 'roles' | 'relations' }
  /** what a test reads */
  | { readonly is: 'attribute'; readonly of: Noun }

export interface Segment {
  readonly text: string
  readonly noun?: Noun
}

/** Whom and what the question is about. */
export interface Asked {
  readonly user: string
  readonly type: string
  /** `type:key`, or the type */
  readonly resource: string
}

const NAME = '"(?:[^"\\\\]|\\\\.)*"|[^\\s,;]+'
const WORDS = new RegExp(
  [
    '(?<plain>\\b(?:a|no|direct) role |set rules? would allow this: |set rules? allows? this: )',
    `(?<allow>^role )(?<names>.+?)(?<where> in tenant | on an instance of | on )(?<place>${NAME})(?= would allow this)`,
    `(?<via>via the )(?<over>${NAME})(?= relation)`,
    `(?<before>user set |resource set |in set |tenant |relation )(?<named>${NAME})`,
    `(?<roleOn>role |which gives )(?<role>${NAME})(?: on (?<on>${NAME}))?`,
    `(?<extends>which extends )(?<parent>${NAME})`,
    `(?<has>which has )(?<permission>${NAME})`,
    `(?<attribute>\\b(?:user|resource|tenant)\\.[^\\s,;]+)`,
    `(?<word>${NAME})`,
  ].join('|'),
  'gu',
)

/** A sentence in parts, in its order, with where each begins. */
export function parseSegments(sentence: string, asked: Asked): readonly (Segment & { readonly at: number })[] {
  const segments: Segment[] = []
  let end = 0
  for (const match of sentence.matchAll(WORDS)) {
    if (match.index > end) segments.push({ text: sentence.slice(end, match.index) })
    segments.push(...parseParts(match[0], match.groups ?? {}, asked))
    end = match.index + match[0].length
  }
  if (end < sentence.length) segments.push({ text: sentence.slice(end) })
  let begin = 0
  return joined(segments).map((each) => {
    const at = begin
    begin += each.text.length
    return { ...each, at }
  })
}

type Groups = Readonly<Record<string, string | undefined>>

function parseParts(text: string, groups: Groups, asked: Asked): readonly Segment[] {
  const { before, named, roleOn, role, on, parent, permission, attribute, via, over, word } = groups
  if (before !== undefined && named !== undefined)
    return [{ text: before }, segment(named, namedNoun(before, named, asked))]
  if (roleOn !== undefined && role !== undefined) {
    if (on === undefined || !unquoteKey(on).includes(':'))
      return [{ text: roleOn }, segment(role, roleNoun(unquoteKey(role))), ...rest(text, roleOn + role)]
    return [{ text: roleOn }, segment(role, partNoun(on, 'roles')), { text: ' on ' }, segment(on, instance(on))]
  }
  if (parent !== undefined)
    return [{ text: text.slice(0, -parent.length) }, segment(parent, { is: 'role', key: unquoteKey(parent) })]
  if (permission !== undefined)
    return [{ text: text.slice(0, -permission.length) }, segment(permission, partNoun(permission, 'actions'))]
  if (attribute !== undefined) return [segment(attribute, attributeNoun(attribute, asked))]
  if (groups.allow !== undefined) return allowing(groups)
  if (via !== undefined && over !== undefined)
    return [{ text: via }, segment(over, { is: 'part', key: asked.type, tab: 'relations' })]
  if (word === undefined) return [{ text }]
  if (unquoteKey(word) === asked.user) return [segment(word, { is: 'user', key: asked.user })]
  return [unquoteKey(word) === asked.resource ? segment(word, resourceNoun(asked)) : { text: word }]
}

const rest = (text: string, prefix: string): readonly Segment[] =>
  text.length > prefix.length ? [{ text: text.slice(prefix.length) }] : []

/** `role a or b in tenant t`, `role a on an instance of invoice`, `role a on invoice:17`. */
function allowing({ allow = '', names = '', where = '', place = '' }: Groups): readonly Segment[] {
  const at: Noun =
    where === ' in tenant '
      ? { is: 'tenant', key: unquoteKey(place) }
      : { is: unquoteKey(place).includes(':') ? 'instance' : 'type', key: unquoteKey(place) }
  const roles = listed(names, at.is === 'tenant' ? undefined : place)
  return [{ text: allow }, ...roles, { text: where }, segment(place, at)]
}

/** `a, b or c and 3 more`. */
function listed(names: string, on: string | undefined): readonly Segment[] {
  return names.split(/(, | or | and )/u).map((name, at) => {
    if (at % 2 === 1 || / more$/u.test(name) || name.includes(' ')) return { text: name }
    return segment(name, on === undefined ? { is: 'role', key: unquoteKey(name) } : partNoun(on, 'roles'))
  })
}

function namedNoun(before: string, named: string, { type }: Asked): Noun {
  if (before === 'tenant ') return { is: 'tenant', key: unquoteKey(named) }
  if (before === 'relation ') return { is: 'part', key: type, tab: 'relations' }
  return { is: 'set', key: unquoteKey(named) }
}

function attributeNoun(attribute: string, asked: Asked): Noun {
  if (attribute.startsWith('user.')) return { is: 'attribute', of: { is: 'user', key: asked.user } }
  return attribute.startsWith('resource.')
    ? { is: 'attribute', of: resourceNoun(asked) }
    : { is: 'type', key: asked.type }
}

const resourceNoun = ({ resource, type }: Asked): Noun =>
  resource === type ? { is: 'type', key: type } : { is: 'instance', key: resource }

const instance = (name: string): Noun => ({ is: 'instance', key: unquoteKey(name) })
const partNoun = (name: string, tab: 'actions' | 'roles'): Noun => ({
  is: 'part',
  key: unquoteKey(name).split(':')[0] ?? '',
  tab,
})

/** A role in tenants, or one on instances, which is a part of its type: `doc#editor` (D17). */
export function roleNoun(key: string): Noun {
  const [type = '', role] = key.split('#')
  return role === undefined ? { is: 'role', key } : { is: 'part', key: type, tab: 'roles' }
}

/** A shortened name is nothing that could be opened. */
const segment = (text: string, noun: Noun): Segment => (text.includes('…') ? { text } : { text, noun })

/** The key that a name stands for: it is quoted when it is more than a plain word. */
function unquoteKey(name: string): string {
  if (!name.startsWith('"')) return name
  try {
    return String(JSON.parse(name))
  } catch {
    return name
  }
}

/** Neighbours without a noun as one. */
function joined(segments: readonly Segment[]): readonly Segment[] {
  const parts: Segment[] = []
  for (const each of segments) {
    const last = parts.at(-1)
    if (last !== undefined && last.noun === undefined && each.noun === undefined)
      parts[parts.length - 1] = { text: last.text + each.text }
    else if (each.text !== '') parts.push(each)
  }
  return parts
}
