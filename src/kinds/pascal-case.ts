// Names of schemas and of use cases that follow from the name of a kind: `condition_set` is `ConditionSet` in them.
export type PascalCase<K extends string> = K extends `${infer First}_${infer Rest}`
  ? `${Capitalize<First>}${PascalCase<Rest>}`
  : Capitalize<K>

export const toPascalCase = <K extends string>(kind: K): PascalCase<K> =>
  kind.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase()) as PascalCase<K>
