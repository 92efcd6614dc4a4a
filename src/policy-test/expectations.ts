// Makes questions of the expectations of a test file, and says what is wrong with them: a form that cannot be read, and
// names that neither the policy nor the facts have. A wrong name would be denied, and so `may not` would pass.
import type { Image, Sent, SentRelation } from '../image/image.ts'
import { formSentence, hint } from '../management/policy-file/form-sentence.ts'
import type { Path } from '../management/rules/fields.ts'
import { type Misfit, misfits } from '../management/rules/shape.ts'
import { isZerohopError } from '../model/errors.ts'
import { EVERYBODY } from '../model/keys.ts'
import type { JsonObject } from '../model/objects.ts'
import { shortText } from '../model/shorten.ts'
import { toRelations } from '../pdp/request.ts'
import type { AnyExpectation, AskedResource } from './expectation.ts'
import { readShortLine, shortLineSentence } from './short-line.ts'
import { LongExpectation, TableExpectation, type TestBecause } from './test-file.ts'

/** Is told what is wrong, with the path of it in the file. */
export type Wrong = (message: string, path: Path, which?: 'key' | 'value') => void

/** The users of the facts, for suggestions. */
interface Names {
  readonly users: readonly string[]
}

export class Expectations {
  readonly found: AnyExpectation[] = []
  readonly #image: Image
  readonly #names: Names
  readonly #now: number
  readonly #context: JsonObject
  readonly #wrong: Wrong
  readonly #sent: Sent

  /** `now` in milliseconds since 1970 is the time of questions that set no other. */
  constructor(image: Image, names: Names, now: number, wrong: Wrong) {
    this.#image = image
    this.#names = names
    this.#now = now
    this.#context = { now }
    this.#sent = { context: this.#context }
    this.#wrong = wrong
  }

  /** Reads one item of `expect`. */
  read(item: unknown, path: Path): void {
    if (typeof item === 'string') this.#line(item, path)
    else if (typeof item !== 'object' || item === null || Array.isArray(item))
      this.#wrong('an expectation is a line such as `ana may read invoice in acme`, or a map', path)
    else if (Object.keys(item).length === 1 && /^who\s+may\s/.test(Object.keys(item)[0]!)) this.#list(item, path)
    else if ('may' in item) this.#table(item, path)
    else this.#long(item, path)
  }

  #line(text: string, path: Path): void {
    const line = readShortLine(text)
    if (line === undefined) {
      this.#wrong(shortLineSentence(text), path)
      return
    }
    const about = this.#resource(line.resource, line.tenant, undefined, path)
    const actions = line.actions.filter((action) => this.#isAction(about, action, path))
    if (about === undefined) return
    for (const user of line.users) {
      if (!this.#isAsker(user, path)) continue
      for (const action of actions) this.#add(user, action, about, line.allow, undefined, path)
    }
  }

  #list(item: object, path: Path): void {
    const [head = '', users] = Object.entries(item)[0] as [string, unknown]
    const at = [...path, head]
    const line = readShortLine(head)
    if (line === undefined || !line.allow) {
      this.#wrong(shortLineSentence(head), at, 'key')
      return
    }
    if (!Array.isArray(users) || users.some((user) => typeof user !== 'string')) {
      this.#wrong('`who may` is followed by a list of users, which may be empty: `[]`', at)
      return
    }
    const about = this.#resource(line.resource, line.tenant, undefined, at)
    const isKnown = users.map((user, index) => this.#isUser(user, [...at, index])).every(Boolean)
    if (about === undefined || !isKnown) return
    for (const action of line.actions) {
      if (!this.#isAction(about, action, at)) continue
      const text = `who may ${action} ${formatResource(about)}`
      this.found.push({ kind: 'list', text, path: at, action, about, users: [...new Set(users as string[])] })
    }
  }

  #table(item: object, path: Path): void {
    if (!this.#fits(misfits(TableExpectation, item, path))) return
    const { resource, tenant, actions, may, context } = item as TableExpectation
    const about = this.#resource(resource, tenant, context, path)
    if (about === undefined) return
    const columns = actions ?? this.#image.names.actions(about.type)
    if (!columns.every((action) => this.#isAction(about, action, [...path, 'actions']))) return
    for (const [user, allowed] of Object.entries(may)) {
      const at = [...path, 'may', user]
      if (!this.#isAsker(user, at, 'key')) continue
      const words = typeof allowed === 'string' ? [allowed] : allowed
      const other = words.find((action) => !columns.includes(action))
      if (other !== undefined)
        this.#wrong(`\`${shortText(other)}\` is not an action of this table${hint(other, columns)}`, at)
      else for (const action of columns) this.#add(user, action, about, words.includes(action), undefined, at)
    }
  }

  #long(item: object, path: Path): void {
    if (!this.#fits(misfits(LongExpectation, item, path))) return
    const { user, action, resource, tenant, context, allow, because } = item as LongExpectation
    const { key, attributes } = typeof user === 'string' ? { key: user, attributes: undefined } : user
    const about = this.#resource(resource, tenant, context, path, attributes)
    const isAsker = this.#isAsker(key, [...path, 'user'])
    if (because && !allow)
      this.#wrong(
        '`because` says by what a question is allowed: it goes with `allow: true`',
        [...path, 'because'],
        'key',
      )
    if (about === undefined || !isAsker) return
    for (const each of typeof action === 'string' ? [action] : action) {
      if (this.#isAction(about, each, [...path, 'action']))
        this.#add(key, each, about, allow, because ?? undefined, path)
    }
  }

  #add(
    user: string,
    action: string,
    about: AskedResource,
    allow: boolean,
    because: TestBecause | undefined,
    path: Path,
  ): void {
    const text = `${user} may ${allow ? '' : 'not '}${action} ${formatResource(about)}`
    this.found.push({ kind: 'answer', text, path, user, action, about, allow, because })
  }

  #fits(wrong: readonly Misfit[]): boolean {
    for (const misfit of wrong)
      this.#wrong(formSentence(misfit), misfit.path, misfit.kind === 'unknown' ? 'key' : 'value')
    return wrong.length === 0
  }

  /** The resource of questions; undefined, and told, when its names do not exist. */
  #resource(
    resource: LongExpectation['resource'],
    tenant: string | null | undefined,
    context: JsonObject | null | undefined,
    path: Path,
    ofUser?: JsonObject | null,
  ): AskedResource | undefined {
    const [type = '', key] =
      typeof resource === 'string' ? resource.split(/:(.*)/s) : [resource.type, resource.key ?? undefined]
    const parts: Partial<Exclude<LongExpectation['resource'], string>> = typeof resource === 'string' ? {} : resource
    const of = tenant ?? parts.tenant ?? undefined
    const { names } = this.#image
    if (!names.hasType(type)) {
      this.#wrong(`resource type \`${shortText(type)}\` does not exist${hint(type, names.types())}`, path)
      return undefined
    }
    if (of !== undefined && !names.hasTenant(of)) {
      this.#wrong(`tenant \`${shortText(of)}\` does not exist${hint(of, names.someTenants())}`, path)
      return undefined
    }
    const relations = this.#relations(type, parts.relations ?? undefined, path)
    if (relations === null) return undefined
    const sent = this.#sentWith(context, parts.attributes, ofUser)
    return { type, key, tenant: of, sent, now: this.#now, relations }
  }

  #sentWith(
    context: JsonObject | null | undefined,
    ofResource: JsonObject | null | undefined,
    ofUser: JsonObject | null | undefined,
  ): Sent {
    if (!context && !ofResource && !ofUser) return this.#sent
    return {
      context: { ...this.#context, ...context },
      ...(ofResource ? { resource: ofResource } : {}),
      ...(ofUser ? { user: ofUser } : {}),
    }
  }

  /** Null when they cannot be read. */
  #relations(
    type: string,
    sent: Readonly<Record<string, readonly string[]>> | undefined,
    path: Path,
  ): readonly SentRelation[] | undefined | null {
    const other = Object.keys(sent ?? {}).find((relation) => !this.#image.names.hasRelation(type, relation))
    if (other !== undefined) {
      const near = hint(other, this.#image.names.relations(type))
      this.#wrong(
        `no role of \`${type}\` comes over a relation \`${shortText(other)}\`${near}`,
        [...path, 'resource', 'relations', other],
        'key',
      )
      return null
    }
    try {
      return toRelations(sent)
    } catch (error) {
      if (!isZerohopError(error)) throw error
      this.#wrong(error.message, [...path, 'resource', 'relations'])
      return null
    }
  }

  /** A user, or the sign of everybody where no one is signed in (D16). */
  #isAsker(user: string, path: Path, which?: 'key' | 'value'): boolean {
    return user === EVERYBODY || this.#isUser(user, path, which)
  }

  #isUser(user: string, path: Path, which: 'key' | 'value' = 'value'): boolean {
    if (this.#image.user(user) !== 0) return true
    this.#wrong(`user \`${shortText(user)}\` does not exist${hint(user, this.#names.users)}`, path, which)
    return false
  }

  #isAction(about: AskedResource | undefined, action: string, path: Path): boolean {
    if (about === undefined || this.#image.names.hasAction(about.type, action)) return true
    const near = hint(action, this.#image.names.actions(about.type))
    this.#wrong(`resource type \`${about.type}\` has no action \`${shortText(action)}\`${near}`, path)
    return false
  }
}

const formatResource = ({ type, key, tenant }: AskedResource): string =>
  `${type}${key === undefined ? '' : `:${key}`}${tenant === undefined ? '' : ` in ${tenant}`}`
