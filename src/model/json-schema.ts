// JSON schemas as plain objects, each with the TypeScript type that it stands for. The types are TypeBox's
// (`Static<typeof Schema>`); its code is not loaded, because that would cost every server a fifth of a second at start.
// What is only documentation, and what an object is called in the OpenAPI document, stands under symbols, where no
// validator sees it.
import type { Static, TObject, TOptional, TProperties, TSchema, TUnsafe } from 'typebox'

export type { Static, TSchema } from 'typebox'

const OPTIONAL = Symbol('optional')
const NAME = Symbol('name')
const DOCUMENTATION = Symbol('documentation')
const UNCHECKED = Symbol('unchecked')

type Part = Readonly<Record<string, unknown>>
interface Marked {
  readonly [OPTIONAL]?: true
  readonly [NAME]?: string
  readonly [DOCUMENTATION]?: Part
  readonly [UNCHECKED]?: true
}

/** A schema in JSON, for values of type `T`. */
export const schemaOf = <T>(schema: Part): TUnsafe<T> => schema as unknown as TUnsafe<T>

export const Text = schemaOf<string>({ type: 'string' })
export const Flag = schemaOf<boolean>({ type: 'boolean' })
export const Texts = schemaOf<readonly string[]>({ type: 'array', items: { type: 'string' } })

export const enumOf = <const W extends readonly string[]>(...words: W) =>
  schemaOf<W[number]>({ type: 'string', enum: words })

export const listOf = <S extends TSchema>(items: S, limit?: number) =>
  schemaOf<readonly Static<S>[]>({ type: 'array', items, ...(limit === undefined ? {} : { maxItems: limit }) })

/** An object whose members have names that users choose. */
export const mapOf = <S extends TSchema>(values: S) =>
  schemaOf<Readonly<Record<string, Static<S>>>>({ type: 'object', additionalProperties: values })

const isOptional = (schema: unknown): boolean => (schema as Marked)[OPTIONAL] === true

function makeObject<P extends TProperties>(properties: P, more: Part): TObject<P> {
  const required = Object.keys(properties).filter((name) => !isOptional(properties[name]))
  return {
    type: 'object',
    ...(required.length === 0 ? {} : { required }),
    properties,
    ...more,
  } as unknown as TObject<P>
}

/** A body with these members and no other. */
export const closed = <P extends TProperties>(properties: P): TObject<P> =>
  makeObject(properties, { additionalProperties: false })

/** A body in which other members than these are ignored; also an object of an answer, to which members may be added. */
export const open = <P extends TProperties>(properties: P): TObject<P> => makeObject(properties, {})

/** Some members of an object, for another one. */
export function membersOf<P extends TProperties, K extends keyof P & string>(
  { properties }: TObject<P>,
  ...names: readonly K[]
): Pick<P, K> {
  return Object.fromEntries(names.map((name) => [name, properties[name]])) as Pick<P, K>
}

/** The members of an object apart from some, for another one. */
export function membersExcept<P extends TProperties, K extends keyof P & string>(
  { properties }: TObject<P>,
  ...names: readonly K[]
): Omit<P, K> {
  const rest = Object.entries(properties).filter(([name]) => !(names as readonly string[]).includes(name))
  return Object.fromEntries(rest) as Omit<P, K>
}

/** An object of an answer with further members. */
export const withMembers = <P extends TProperties, M extends TProperties>(
  { properties }: TObject<P>,
  more: M,
): TObject<P & M> => open({ ...properties, ...more })

/** A member that may be absent. */
export const optional = <S extends TSchema>(schema: S): TOptional<S> =>
  ({ ...schema, [OPTIONAL]: true }) as unknown as TOptional<S>

/** A member of a body that may be absent or null; null is then one of the words of an enum. */
export function maybe<S extends TSchema>(schema: S): TOptional<TUnsafe<Static<S> | null>> {
  const { enum: words, type } = schema as Part & { enum?: readonly unknown[]; type?: unknown }
  const withNull = {
    ...(schema as object),
    nullable: true,
    ...(words ? { enum: [...words, null] } : {}),
    // The validator would add it to the list itself, which other schemas share.
    ...(Array.isArray(type) ? { type: [...type, 'null'] } : {}),
  }
  return optional(schemaOf<Static<S> | null>(withNull))
}

/**
 * A member of a body that is accepted only null or empty, which means the same: part of the contract, but not supported
 * yet.
 */
export const later = () => optional(schemaOf<null>({ later: true }))

/** What an answer holds where it may be null. */
export function nullable<S extends TSchema>(schema: S): TUnsafe<Static<S> | null> {
  const { type, enum: words, [NAME]: name } = schema as { type?: unknown; enum?: unknown } & Marked
  const simple = type !== undefined && words === undefined && name === undefined
  return schemaOf(simple ? { ...(schema as object), type: [type, 'null'] } : { anyOf: [schema, { type: 'null' }] })
}

/** One of several forms. */
export const anyOf = <S extends readonly TSchema[]>(...schemas: S) => schemaOf<Static<S[number]>>({ anyOf: schemas })

/**
 * The schema with a description. `more` is documentation too: limits that a use case holds with an error of its own,
 * examples.
 */
export const described = <S extends TSchema>(schema: S, description: string, more: Part = {}): S =>
  ({ ...schema, description, [DOCUMENTATION]: more }) as S

/** The schema as an object that the OpenAPI document names. */
export const named = <S extends TSchema>(name: string, schema: S): S => ({ ...schema, [NAME]: name }) as S

/** The name that the OpenAPI document has for a schema. */
export const schemaName = (schema: object): string | undefined => (schema as Marked)[NAME]

/** Words of a schema that are documentation only. */
export const findDocumentation = (schema: object): Part => (schema as Marked)[DOCUMENTATION] ?? {}

/** A schema that only documents: no validator looks at values. */
export const unchecked = <S extends TSchema>(schema: S): S => ({ ...schema, [UNCHECKED]: true }) as S
export const isUnchecked = (schema: object): boolean => (schema as Marked)[UNCHECKED] === true
