// Groups of a directory and their members (docs/scim.md). Members are users of the directory: groups in groups are what
// providers resolve themselves.
import type { DirectoryGroup } from '../../kinds/directory-group.ts'
import { type DirectoryMember, directoryMemberKey } from '../../kinds/directory-member.ts'
import { type Change, put, remove } from '../../log/change.ts'
import { ZerohopError } from '../../model/errors.ts'
import { parseId } from '../../model/keys.ts'
import { DIRECTORY_GROUP_MEMBERS_MAX, DIRECTORY_GROUPS_MAX, DIRECTORY_MEMBERS_MAX } from '../../model/limits.ts'
import type { Json, JsonObject } from '../../model/objects.ts'
import type { Decided, Mint, View } from '../../store/view.ts'
import { equalities, type Filter, holds } from '../directory/filter.ts'
import { type Elsewhere, patchResource } from '../directory/patch.ts'
import { isNone, isObject, readAttribute, readResource } from '../directory/read-resource.ts'
import { findAttribute, GROUPS } from '../directory/schemas.ts'
import { quote, refusal } from '../directory/scim-error.ts'
import { removals } from '../rules/cascade.ts'
import { listMembers, withGroupRules } from './group-rules.ts'

interface Named {
  readonly ref: string
}
interface Sent {
  readonly body: unknown
}

/** @throws OBJECT_NOT_FOUND */
export function requireDirectoryGroup(view: View, ref: string): DirectoryGroup {
  const id = parseId(ref)
  const found = id === undefined ? undefined : view.get('directory_group', id)
  if (found !== undefined) return found
  throw new ZerohopError('OBJECT_NOT_FOUND', { kind: 'directory_group', ref })
}

/** A group as a resource, without its members. */
export const toGroupResource = ({ display_name, external_id }: DirectoryGroup): JsonObject => ({
  displayName: display_name,
  ...(external_id === null ? {} : { externalId: external_id }),
})

/** The members of a group as values of a resource. */
export const toMemberValue = (id: string): JsonObject => ({ value: id, type: 'User' })

/** @throws SCIM_INVALID, LIMIT_EXCEEDED */
export function createDirectoryGroup(view: View, { body }: Sent, mint: Mint): Decided<DirectoryGroup> {
  if (view.count('directory_group') >= DIRECTORY_GROUPS_MAX)
    throw new ZerohopError('LIMIT_EXCEEDED', { what: 'the groups of directories', limit: DIRECTORY_GROUPS_MAX })
  const { members: sent, ...resource } = readResource(GROUPS, body)
  const id = mint.id()
  const stamps = { id, key: id, created_at: mint.now, updated_at: mint.now }
  const group: DirectoryGroup = { ...stamps, ...readFields(resource), version: 1 }
  const members = new Members(view, id)
  members.add(sent)
  return { ...decided(view, group, members, mint), status: 201 }
}

/** Replaces the group; members and `externalId` stay where the body says nothing of them. @throws SCIM_INVALID, OBJECT_NOT_FOUND, LIMIT_EXCEEDED */
export function replaceDirectoryGroup(view: View, { ref, body }: Named & Sent, mint: Mint): Decided<DirectoryGroup> {
  const stored = requireDirectoryGroup(view, ref)
  const { members: sent, ...rest } = readResource(GROUPS, body)
  const resource = stored.external_id === null ? rest : { externalId: stored.external_id, ...rest }
  const members = new Members(view, stored.id)
  if (Object.keys(body as object).some((name) => name.toLowerCase() === 'members')) {
    members.clear()
    members.add(sent)
  }
  return rewritten(view, stored, resource, members, mint)
}

/** Carries out the operations of a PATCH. @throws SCIM_INVALID, OBJECT_NOT_FOUND, LIMIT_EXCEEDED */
export function updateDirectoryGroup(view: View, { ref, body }: Named & Sent, mint: Mint): Decided<DirectoryGroup> {
  const stored = requireDirectoryGroup(view, ref)
  const members = new Members(view, stored.id)
  const resource = patchResource(GROUPS, toGroupResource(stored), body, { members: members.carryOut })
  return rewritten(view, stored, resource, members, mint)
}

/** Deletes the group, and what the rules gave to its members. @throws OBJECT_NOT_FOUND */
export function deleteDirectoryGroup(view: View, { ref }: Named, mint: Mint): Decided<null> {
  const { id, display_name } = requireDirectoryGroup(view, ref)
  const changes = [
    ...removals('directory_member', view.by('members_of_directory_group', id)),
    remove('directory_group', id),
  ]
  const decided = withGroupRules(view, changes, listMembers(view, [{ id }]), mint)
  return { ...decided, status: 204, summary: `group of the directory ${display_name}: deleted`, result: null }
}

function rewritten(
  view: View,
  stored: DirectoryGroup,
  resource: JsonObject,
  members: Members,
  mint: Mint,
): Decided<DirectoryGroup> {
  const fields = readFields(resource)
  const isSame = fields.display_name === stored.display_name && fields.external_id === stored.external_id
  if (isSame && members.changes(mint).length === 0) return { changes: [], result: stored }
  const group = { ...stored, ...fields, version: stored.version + 1, updated_at: mint.now }
  return decided(view, group, members, mint, isSame ? undefined : stored)
}

/** @param renamed the group as it was, where rules may select it no longer, or now */
function decided(
  view: View,
  group: DirectoryGroup,
  members: Members,
  mint: Mint,
  renamed?: DirectoryGroup,
): Decided<DirectoryGroup> {
  const changes = [put('directory_group', group), ...members.changes(mint)]
  const concerned = new Set([...members.touched, ...(renamed === undefined ? [] : listMembers(view, [renamed]))])
  const summary = `group of the directory ${group.display_name}: ${members.added} added, ${members.removed} removed`
  return { ...withGroupRules(view, changes, concerned, mint), summary, result: group }
}

function readFields({ displayName, externalId }: JsonObject) {
  return { display_name: displayName as string, external_id: (externalId as string | undefined) ?? null }
}

const MEMBERS = findAttribute(GROUPS, 'members')!.attribute

/** The members of a group after a write: only those that change are read, but where a filter asks for all. */
class Members {
  added = 0
  removed = 0
  /** keys of the users who come or go */
  readonly touched = new Set<string>()
  #changes: readonly Change[] | undefined
  readonly #view: View
  readonly #group: string
  /** by the key of the user: whether it is a member now */
  readonly #now = new Map<string, boolean>()
  #isCleared = false

  constructor(view: View, group: string) {
    this.#view = view
    this.#group = group
  }

  /** An operation of a PATCH. @throws SCIM_INVALID */
  readonly carryOut: Elsewhere = (op, { path, filter }, value) => {
    if (path.part !== undefined)
      throw refusal('mutability', `${quote(path.part.name)} of a member cannot be changed: add and remove members`)
    if (op === 'remove') {
      if (filter !== undefined) this.#removeWhere(filter)
      else if (isNone(value)) this.clear()
      // one provider names in `value` who is to be removed
      else for (const user of this.#users(read(value!), 'known')) this.#now.set(user, false)
      return
    }
    if (filter !== undefined) throw refusal('mutability', 'a member cannot be changed: add and remove members')
    if (value === undefined) throw refusal('invalidValue', `an operation \`${op}\` has a value`)
    if (op === 'replace') this.clear()
    this.add(read(value))
  }

  /** @param sent values of the attribute, as they were read */
  add(sent: Json | undefined): void {
    for (const user of this.#users(sent)) this.#now.set(user, true)
  }

  clear(): void {
    this.#now.clear()
    this.#isCleared = true
  }

  /** @throws LIMIT_EXCEEDED */
  changes(mint: Mint): readonly Change[] {
    this.#changes ??= this.#decide(mint)
    return this.#changes
  }

  #decide(mint: Mint): Change[] {
    const changes: Change[] = []
    for (const [user, isMember] of this.#now) {
      const key = directoryMemberKey(this.#group, user)
      const isStored = this.#view.get('directory_member', key) !== undefined
      if (isMember && !isStored) {
        const stamps = { id: mint.id(), key, created_at: mint.now, updated_at: mint.now }
        const member: DirectoryMember = { ...stamps, group: this.#group, user }
        changes.push(put('directory_member', member))
        this.touched.add(user)
        this.added++
      } else if (!isMember && isStored) {
        changes.push(remove('directory_member', key))
        this.touched.add(user)
        this.removed++
      }
    }
    if (this.#isCleared)
      for (const { key, user } of this.#view.by('members_of_directory_group', this.#group))
        if (!this.#now.has(user)) {
          changes.push(remove('directory_member', key))
          this.touched.add(user)
          this.removed++
        }
    const more = this.added - this.removed
    requireRoom(
      'the members of one group',
      this.#view.countBy('members_of_directory_group', this.#group) + more,
      DIRECTORY_GROUP_MEMBERS_MAX,
    )
    requireRoom(
      'the members of groups of directories',
      this.#view.count('directory_member') + more,
      DIRECTORY_MEMBERS_MAX,
    )
    return changes
  }

  /** Keys of the users that values name; with `known` those that are not there are passed over. @throws SCIM_INVALID */
  *#users(sent: Json | undefined, which?: 'known'): Iterable<string> {
    for (const one of (sent ?? []) as readonly Json[]) {
      const { value, type } = one as { readonly value?: string; readonly type?: string }
      if (type !== undefined && type.toLowerCase() !== 'user')
        throw refusal('invalidValue', 'members of a group are users: groups in groups are not supported')
      const id = value === undefined ? undefined : parseId(value)
      const user = id === undefined ? undefined : this.#view.find('directory_user', id)
      if (user !== undefined && user.id === id) yield user.key
      else if (which === undefined) throw refusal('invalidValue', `there is no user with the id ${quote(value ?? '')}`)
    }
  }

  #removeWhere(filter: Filter): void {
    // the usual form names one member, who is not looked for among all
    const [only, more] = [...equalities(filter)]
    if (filter.kind === 'compare' && only?.name === 'value' && more === undefined) {
      for (const user of this.#users([{ value: only.value }], 'known')) this.#now.set(user, false)
      return
    }
    for (const user of this.#current()) {
      const id = this.#view.get('directory_user', user)?.id ?? ''
      if (holds(filter, toMemberValue(id))) this.#now.set(user, false)
    }
  }

  #current(): readonly string[] {
    const stored = this.#isCleared
      ? []
      : Array.from(this.#view.by('members_of_directory_group', this.#group), ({ user }) => user)
    const added = [...this.#now].flatMap(([user, isMember]) => (isMember ? [user] : []))
    return [...new Set([...stored.filter((user) => this.#now.get(user) !== false), ...added])]
  }
}

const read = (value: Json): Json | undefined =>
  readAttribute(MEMBERS, isObject(value) ? [value] : value, Number.POSITIVE_INFINITY)

function requireRoom(what: string, count: number, limit: number): void {
  if (count > limit) throw new ZerohopError('LIMIT_EXCEEDED', { what, limit })
}
