// Validators of request bodies, compiled when the first body of a route comes. A server has some hundred routes and most processes use a few of
// them: compiling all when they are registered, and loading the compiler at all, would be a large part of the start. They say what Fastify's
// own would say: the compiler is the one that Fastify uses. Schemas of most query
// parameters are documentation and check nothing: parameters that a route does not know are ignored, and handlers read theirs with page.ts.
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

/** What a server is told of schemas. With both factories given, Fastify loads neither its compiler of validators nor that of serializers. */
export function lateValidators(): { readonly compilersFactory: Compilers } {
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

/** What a field that is accepted only empty may hold: the schema keyword `later` (src/model/json-schema.ts). */
function isEmpty(value: unknown): boolean {
  if (value === null || value === false) return true
  return typeof value === 'object' && Object.values(value).every(isEmpty) // as deep as a body may be
}
