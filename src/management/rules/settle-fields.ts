// What a write makes of the fields of a kind: the stored value after what was sent, and the values of an object for which
// only a key was sent. The fields are those of src/kinds; a field of the form `own` brings its rule.

import type { Requestable, SentRequestable, SentSuspension } from '../../kinds/fields.ts'
import {
  defaultValue,
  type Field,
  type Fields,
  fieldValue,
  ITS_RESOURCE,
  isLeftOut,
  type LeftOutName,
  type OwnName,
  type RegularField,
  type RegularName,
  type StoredOf,
} from '../../kinds/fields.ts'
import type { User } from '../../kinds/user.ts'
import type { JsonObject } from '../../model/objects.ts'
import type { View } from '../../store/view.ts'
import { settleDeclared } from './attribute-values.ts'
import type { Fields as CollectionFields, KeyedKind, Merge } from './collection.ts'
import {
  type Path,
  type Sent,
  settleAttributes,
  settleFlag,
  settleInstant,
  settleName,
  settleNote,
  settleSeconds,
  settleText,
} from './fields.ts'
import { settleRequestable } from './requestable.ts'
import { settleSuspension } from './suspension.ts'

/** Where a write stands. */
interface Context {
  readonly view: View
  /** the key; of a part that without its resource type */
  readonly key: string
  /** key of the resource type of a part or an instance, else empty */
  readonly of: string
  readonly path: Path
  /** where fields are that are not members at `path` */
  readonly fieldPaths?: Readonly<Record<string, Path>>
  /** the object as it stands, when there is one */
  readonly stored: object | undefined
  /** ms since 1970; only fields that say when they were written need it */
  readonly now?: number
}

type Values = { readonly [name: string]: unknown }

/** The value of a field of a regular form after a write. @throws what the rule of the form throws */
function settleField(name: string, field: RegularField, base: Values, sent: Values, context: Context): unknown {
  const { view, key, of, path, stored } = context
  const current = fieldValue(base, name, field, key)
  const wanted = sent[name]
  const at = context.fieldPaths?.[name] ?? [...path, name]
  switch (field.form) {
    case 'name':
      return settleName(wanted as Sent<string>, current as string, key, path)
    case 'text':
      return settleText(wanted as Sent<string>, current as string | null, name, path)
    case 'attributes':
    case 'attributes_or_null': {
      const [attributes, have] = [wanted as Sent<JsonObject>, current as JsonObject | null]
      const none = defaultValue(field, key) as JsonObject | null
      const { declaredBy } = field
      if (declaredBy === undefined) return settleAttributes(attributes, have, none, at)
      return settleDeclared(view, declaredBy === ITS_RESOURCE ? of : declaredBy, [attributes, have, none], at)
    }
    case 'instant':
      return settleInstant(wanted as Sent<string | number>, current as number | null, at)
    case 'seconds':
      return settleSeconds(wanted as Sent<number>, current as number | null, at)
    case 'flag':
      return settleFlag(wanted as Sent<boolean>, current as true | null)
    case 'note':
      return settleNote(wanted as Sent<string>, current as string | null, name, field.max, path)
    case 'suspension':
      return settleSuspension(wanted as Sent<SentSuspension>, stored as Partial<User> | undefined, context.now ?? 0, at)
    case 'requestable':
      return settleRequestable(view, wanted as Sent<SentRequestable>, current as Requestable | null, { of, key }, at)
    case 'moment':
      return (stored as Values | undefined)?.[name] ?? current
    case 'resource':
      return of
    case 'part':
      return key
    default:
      return field satisfies never
  }
}

/** The rule of a field of the form `own`. */
export interface OwnRule<K extends KeyedKind, Input, T> {
  /** the value of an object for which only a key was sent */
  readonly unsent: T
  readonly settle: (sent: Input, current: T, context: Merge<K>) => T
}

type OwnRules<K extends KeyedKind, Input, F extends Fields> = {
  readonly [N in OwnName<F>]: OwnRule<K, Input, StoredOf<F[N]>>
}

/** `defaults` and `merge` of a collection, from its table of fields. */
export function fieldRules<K extends KeyedKind, Input extends object, F extends Fields>(
  table: F,
  own: OwnRules<K, Input, F>,
): {
  readonly defaults: (key: string, mint: { readonly now: number }, of: string) => CollectionFields<K>
  readonly merge: (base: CollectionFields<K>, sent: Input, context: Merge<K>) => CollectionFields<K>
} {
  const entries = Object.entries<Field>(table)
  const rules = own as { readonly [name: string]: OwnRule<K, Input, unknown> }
  return {
    defaults(key, { now }, of) {
      const values: Record<string, unknown> = {}
      for (const [name, field] of entries) {
        if (field.form === 'own') values[name] = rules[name]!.unsent
        else if (field.form === 'moment') values[name] = now
        else if (field.form === 'resource') values[name] = of
        else if (!isLeftOut(field, defaultValue(field, key))) values[name] = defaultValue(field, key)
      }
      return values as CollectionFields<K>
    },
    merge(base, sent, context) {
      const values: Record<string, unknown> = {}
      for (const [name, field] of entries) {
        const value =
          field.form === 'own'
            ? rules[name]!.settle(sent, (base as Values)[name], context)
            : settleField(name, field, base as Values, sent as Values, { ...context, now: context.mint.now })
        if (!isLeftOut(field, value)) values[name] = value
      }
      return values as CollectionFields<K>
    },
  }
}

/** What regular fields of a kind hold that may be sent. */
export type Payload<F extends Fields> = {
  readonly [N in Exclude<RegularName<F>, LeftOutName<F>>]: StoredOf<F[N]>
} & { readonly [N in Extract<RegularName<F>, LeftOutName<F>>]?: StoredOf<F[N]> }

/**
 * The fields of regular forms after a write, for a kind whose other fields say what it is: `base` is the stored object,
 * or empty for what PUT resets and POST begins with.
 */
export function payloadRules<F extends Fields>(
  table: F,
): (base: Partial<Payload<F>>, sent: object, context: Context) => Payload<F> {
  const entries = Object.entries<Field>(table).filter(
    (entry): entry is [string, RegularField] => entry[1].form !== 'own' && entry[1].form !== 'moment',
  )
  return (base, sent, context) => {
    const values: Record<string, unknown> = {}
    for (const [name, field] of entries) {
      const value = settleField(name, field, base as Values, sent as Values, context)
      if (!isLeftOut(field, value)) values[name] = value
    }
    return values as unknown as Payload<F>
  }
}
