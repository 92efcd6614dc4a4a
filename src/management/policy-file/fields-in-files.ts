// What a policy file says of the regular fields of an object: those that differ from their defaults. An export writes
// them, and a plan compares them, so that both always know the same fields.
import { defaultOf, type Field, type Fields, fieldValue } from '../../kinds/fields.ts'
import type { Json } from '../../model/objects.ts'

/**
 * The fields that differ from their defaults, in the order of the table: no nulls, no empty attributes, and no name that
 * is the key. Fields of the form `own` are not among them.
 * @param key the key of the object; of a part the one without its resource type
 */
export function fieldsInFile(table: Fields, object: object, key: string): { readonly [name: string]: Json } {
  const said: { [name: string]: Json } = {}
  for (const [name, field] of Object.entries(table)) {
    if (!isInFiles(field)) continue
    const value = fieldValue(object as { readonly [name: string]: unknown }, name, field, key)
    if (!isDefault(value, defaultOf(field, key))) said[name] = value as Json
  }
  return said
}

const isInFiles = ({ form, inFiles }: Field): boolean =>
  inFiles !== false && form !== 'own' && form !== 'resource' && form !== 'part'

/** An empty object is the default of attributes that are never null. */
const isDefault = (value: unknown, unsent: unknown): boolean =>
  value === unsent || (typeof unsent === 'object' && unsent !== null && Object.keys(value as object).length === 0)
