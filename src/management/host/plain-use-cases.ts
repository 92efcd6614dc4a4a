// The four use cases of each plain kind, by the names that history keeps: `createTenant` and its like.
import { PLAIN_KINDS, type PlainKind } from '../../kinds/index.ts'
import { type PascalCase, toPascalCase } from '../../kinds/pascal-case.ts'
import { WRITES_IN_FILES } from '../objects/in-files.ts'

type Writes = typeof WRITES_IN_FILES
/** A kind without writes is an error where they are missing, and not here and wherever a use case is called. */
type Written = Extract<PlainKind, keyof Writes>
type PlainUseCases = { readonly [K in Written as `create${PascalCase<K>}`]: Writes[K]['create'] } & {
  readonly [K in Written as `update${PascalCase<K>}`]: Writes[K]['update']
} & { readonly [K in Written as `replace${PascalCase<K>}`]: Writes[K]['replace'] } & {
  readonly [K in Written as `delete${PascalCase<K>}`]: Writes[K]['remove']
}

export const plainUseCases = Object.fromEntries(
  PLAIN_KINDS.flatMap((kind) => {
    const { create, update, replace, remove } = WRITES_IN_FILES[kind]
    const name = toPascalCase(kind)
    return Object.entries({
      [`create${name}`]: create,
      [`update${name}`]: update,
      [`replace${name}`]: replace,
      [`delete${name}`]: remove,
    })
  }),
) as unknown as PlainUseCases
