// The four use cases of each plain kind, by the names that history keeps: `createTenant` and its like.
import { PLAIN_KINDS, type PlainKind } from '../../kinds/index.ts'
import { type PascalCase, toPascalCase } from '../../kinds/pascal-case.ts'
import { WRITES_IN_FILES } from '../objects/in-files.ts'

type Writes = typeof WRITES_IN_FILES
type PlainUseCases = { readonly [K in PlainKind as `create${PascalCase<K>}`]: Writes[K]['create'] } & {
  readonly [K in PlainKind as `update${PascalCase<K>}`]: Writes[K]['update']
} & { readonly [K in PlainKind as `replace${PascalCase<K>}`]: Writes[K]['replace'] } & {
  readonly [K in PlainKind as `delete${PascalCase<K>}`]: Writes[K]['remove']
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
