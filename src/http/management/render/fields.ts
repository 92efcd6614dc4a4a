// Prints the fields of stored objects as answers have them, from the table of their kind.
import { type Fields, fieldValue, isLeftOut, printValue } from '../../../kinds/fields.ts'
import type { AnswerFields } from '../../../management/schemas/field-members.ts'

/**
 * What an answer has of the regular fields of an object: a function made once for each kind, because it runs for every
 * row of a list. What follows in the answer is added to the row by `Object.assign`: with a copy by a spread a page of
 * users took 1.3 times as long. Fields of the form `own` are not among them. `key` is that of the object; of a part the one without its
 * resource type.
 */
export function fieldPrinter<F extends Fields>(table: F) {
  const entries = Object.entries(table).filter(
    ([, { form }]) => form !== 'own' && form !== 'resource' && form !== 'part',
  )
  return <R extends object>(row: R, object: object, key: string): R & AnswerFields<F> => {
    const values = row as { [name: string]: unknown }
    for (const [name, field] of entries) {
      const value = fieldValue(object as { readonly [name: string]: unknown }, name, field, key)
      if (!isLeftOut(field, value)) values[name] = printValue(field, value)
    }
    return row as R & AnswerFields<F>
  }
}
