// Validators of request bodies, compiled with the first body of a route. A server has some hundred routes, and most
// processes use a few of them: compiling all of them at registration, and loading the compiler at all, would be a large
// part of the start. The errors are those of Fastify's own validators, because the compiler is the same. Schemas of
// most query parameters are documentation: their names are checked by query-names.ts, and handlers read them with page.ts.
import { createRequire } from 'node:module'
import type * as AjvCompiler from '@fastify/ajv-compiler'
import type { FastifyServerOptions } from 'fastify'
import { isUnchecked } from '../model/json-schema.ts'

const require = createRequire(import.meta.url)

type Compilers = NonNullable<NonNullable<FastifyServerOptions['schemaController']>['compilersFactory']>
type Compile = (route: { readonly schema: unknown }) => Validate
type Validate = ((value: unknown) => unknown) & { errors?: unknown }

const OPTIONS = {
  customOptions: {
    coerceTypes: false,
    removeAdditional: false,
    useDefaults: false,
    allowUnionTypes: true,
    keywords: [{ keyword: 'later', validate: (_: unknown, value: unknown) => isEmpty(value) }],
  },
} as const

/**
 * The schema options of a server, and what loads the compiler before the first body. With both factories given, Fastify loads neither its validator compiler nor its
 * serializer compiler.
 */
export function lateValidators(): { readonly compilersFactory: Compilers; readonly load: () => void } {
  let compiler: Compile | undefined
  const compileLater: Compile = ({ schema }) => {
    if (isUnchecked(schema as object)) return () => true
    let compiled: Validate | undefined
    const validate: Validate = (value) => {
      compiler ??= loadCompiler()
      compiled ??= compiler({ schema })
      const isValid = compiled(value)
      validate.errors = compiled.errors
      return isValid
    }
    return validate
  }
  return {
    load: () => {
      compiler ??= loadCompiler()
    },
    compilersFactory: {
      buildValidator: (() => compileLater) as unknown as NonNullable<Compilers['buildValidator']>,
      buildSerializer: () => () => JSON.stringify,
    },
  }
}

function loadCompiler(): Compile {
  const { AjvCompiler: build } = require('@fastify/ajv-compiler') as typeof AjvCompiler
  return build()({}, OPTIONS as never) as unknown as Compile
}

/** Validates the schema keyword `later` (src/model/json-schema.ts): a field that must be empty. */
function isEmpty(value: unknown): boolean {
  if (value === null || value === false) return true
  return typeof value === 'object' && Object.values(value).every(isEmpty) // the depth of a body is bounded
}
