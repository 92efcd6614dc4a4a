// What a row of the table of routes is, and what a function gets that carries it out.
import type { ManagementClient } from '../../client/management-client.ts'
import { parseId, USER_KEY_PATTERN } from '../../model/keys.ts'
import { type Fields, MemberRefusal } from './answers.ts'

/** The permissions of the application that routes ask for. */
export type Need = 'read' | 'manage' | 'manageRoles'

/** A request that may be carried out. */
export interface MemberCall {
  readonly client: ManagementClient
  /** the tenant of the session, in the environment of the key */
  readonly place: { readonly p: string; readonly e: string; readonly ref: string }
  /** what narrows a request to that tenant and to what the user may give, whatever its key reaches, and says why */
  readonly headers: Readonly<Record<string, string>>
  /** key of the user of the session */
  readonly user: string
  /** the parts of the path that are `*` in the table, decoded */
  readonly names: readonly string[]
  readonly body: Fields
  readonly query: Readonly<Record<string, string>>
  readonly may: (need: Need) => boolean
}

interface Row {
  readonly path: readonly string[]
  /** what the user needs; null: a session is enough, and the management API decides what its user may */
  readonly needs: Need | null
  /** the fields of the body; a route without them reads none */
  readonly body?: readonly string[]
  readonly query?: readonly string[]
  readonly run: (call: MemberCall) => Promise<Response>
}

interface Read extends Row {
  readonly method: 'GET'
}

interface Change extends Row {
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** what is done, for the history: completes a sentence that begins with the user */
  readonly done: (names: readonly string[], body: Fields) => string
}

export type MemberRoute = Read | Change

const userKey = new RegExp(USER_KEY_PATTERN)

/** Whether a user may have this key. */
export const isUserKey = (text: string): boolean => userKey.test(text)

/** @throws MemberRefusal for what can be no user's key */
export function requireUser(user: string): string {
  if (isUserKey(user)) return user
  throw new MemberRefusal(404, 'not_found', 'there is no such member')
}

/** @throws MemberRefusal for what is not an id; `what` is in the message */
export function requireId(text: string, what: string): string {
  const id = parseId(text)
  if (id === undefined) throw new MemberRefusal(404, 'not_found', `there is no such ${what}`)
  return id
}

/** Characters of a name in a sentence for the history: who it is about can be read, and the sentence keeps its end. */
const NAMED_CHARACTERS = 100

/** A name of the request in a sentence for the history, whatever was sent. */
export const quote = (name: unknown): string =>
  typeof name === 'string' ? `\`${name.slice(0, NAMED_CHARACTERS)}\`` : 'a wrong name'
