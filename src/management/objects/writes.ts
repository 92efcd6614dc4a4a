// What it takes to write objects of one kind, for whoever writes objects of many kinds: plans, policy files, reverts and
// bulk calls. Everything here calls the use cases of single writes.

import { HAND } from '../../kinds/claims.ts'
import { KINDS } from '../../kinds/index.ts'
import * as t from '../../model/json-schema.ts'
import type { JsonObject } from '../../model/objects.ts'
import type { Decided, Mint, View } from '../../store/view.ts'
import { asOwnPart, ownPart } from '../rules/claims.ts'
import { type Changed, requirePlace } from '../rules/collection.ts'
import { BODY, type Path } from '../rules/fields.ts'
import type { ConnectingFact } from '../rules/kinds-in-files.ts'
import { changePayload, hasPayload, type PayloadOf } from '../rules/payload.ts'
import { requireShape } from '../rules/shape.ts'
import { regularMembers } from '../schemas/field-members.ts'

/** `of` is the key of the resource type whose part is written; it is empty for everything that is not a part. */
export type Write<Input, Result = unknown> = (view: View, input: Input, mint: Mint, of?: string) => Decided<Result>

export interface Ref {
  /** key or id of the object; of a part without that of its resource type */
  readonly ref: string
}

/** A body of the API whose form nobody has checked. */
export interface SentBody {
  readonly fields: JsonObject
  readonly path: Path
}
type SentWrite<Input> = (view: View, input: Input, mint: Mint, of: string) => Decided<unknown>

/** The same for bodies of the API and names that clients chose: `of` may also be the id of a resource type. */
export interface SentWrites {
  readonly create: SentWrite<SentBody>
  readonly update: SentWrite<Ref & SentBody> | null
  readonly remove: SentWrite<Ref>
}

/** null: objects of this kind are not written that way. */
export interface Writes<New = never, Fields = never> {
  readonly create: Write<New>
  /** changes the fields that are given */
  readonly update: Write<Changed<Fields>> | null
  /** resets the fields that are not given */
  readonly replace: Write<Changed<never>> | null
  readonly remove: Write<Ref>
}
export interface WritesOfKind extends Writes {
  readonly sent: SentWrites
}

interface Bodies<C extends t.TSchema, U extends t.TSchema> {
  readonly create: C
  readonly update: U
}

/** The resource type of a part, by what a client calls it. @throws OBJECT_NOT_FOUND */
export const ofResource = (view: View, of: string): string => requirePlace(view, { resource: of }).of
const asSent = (_view: View, of: string): string => of

/** The writes with the bodies that the API takes for them. `place` finds what a part belongs to. */
export function withBodies<
  C extends t.TSchema,
  U extends t.TSchema,
  W extends Writes<t.Static<C>, t.Static<U>> & { readonly update: Write<Changed<t.Static<U>>> },
>(bodies: Bodies<C, U>, writes: W, place = asSent): W & { readonly sent: SentWrites } {
  const sent: SentWrites = {
    create: (view, body, mint, of) => writes.create(view, read(bodies.create, body), mint, place(view, of)),
    update: (view, { ref, ...body }, mint, of) =>
      writes.update(view, { ref, fields: read(bodies.update, body) }, mint, place(view, of)),
    remove: (view, ref, mint, of) => writes.remove(view, ref, mint, place(view, of)),
  }
  return { ...writes, sent }
}

/** The same of a kind whose objects are made and deleted, and never changed. */
export function withBody<C extends t.TSchema, W extends Writes<t.Static<C>> & { readonly update: null }>(
  body: C,
  writes: W,
): W & { readonly sent: SentWrites } {
  const sent: SentWrites = {
    create: (view, given, mint, of) => writes.create(view, read(body, given), mint, of),
    update: null,
    remove: (view, ref, mint, of) => writes.remove(view, ref, mint, of),
  }
  return { ...writes, sent }
}

/** Objects that only connect are found by the key that a plan shows. */
export const CONNECTING_KEY = [...BODY, 'key']

type PayloadChange<K extends ConnectingFact> = [keyof PayloadOf<K>] extends [never] ? null : Write<Changed<object>>

/** The same of a kind that connects others: of its objects nothing but the payload changes. */
export function withPayload<K extends ConnectingFact, C extends t.TSchema, R extends Write<Ref>>(
  kind: K,
  body: C,
  { create, remove }: { readonly create: Write<t.Static<C>>; readonly remove: R },
) {
  const makeChange =
    (resets: boolean): Write<Changed<object>> =>
    (view, { ref, fields }, mint) => {
      const stored = view.require(kind, ref, CONNECTING_KEY)
      // what others claim of it stays as it is
      const own = ownPart(stored, HAND) ?? stored
      const changes = changePayload(kind, view, own, fields, mint, resets)
      return { changes: asOwnPart(kind, view, changes, HAND, mint), result: null }
    }
  const bodies = { create: body, update: t.closed(regularMembers(KINDS[kind].fields)) }
  const writes = hasPayload(kind)
    ? withBodies(bodies, { create, update: makeChange(false), replace: makeChange(true), remove })
    : withBody(body, { create, update: null, replace: null, remove })
  // whether there is a payload is read from the same table by the type
  return writes as unknown as {
    readonly create: Write<t.Static<C>>
    readonly update: PayloadChange<K>
    readonly replace: PayloadChange<K>
    readonly remove: R
    readonly sent: SentWrites
  }
}

/** @throws INPUT_INVALID */
function read<S extends t.TSchema>(schema: S, { fields, path }: SentBody): t.Static<S> {
  requireShape(schema, fields, path)
  return fields as t.Static<S>
}
