// Of the errors of the package (src/model/errors.ts) a page needs those that the client itself throws: what the server
// refuses comes with its message. All of them would be a part of every first view.
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vite'
import { ERRORS } from '../src/model/errors.ts'

const TABLE = /export const ERRORS = \{.*?\n\} as const/s
const CLIENT = fileURLToPath(new URL('../src/client/', import.meta.url))

export function errorsOfClient(): Plugin {
  return {
    name: 'errors-of-client',
    enforce: 'pre',
    transform(code, id) {
      if (!id.endsWith('/src/model/errors.ts')) return undefined
      if (!TABLE.test(code)) throw new Error(`no table of errors in ${id}`)
      return {
        code: code.replace(TABLE, () => `export const ERRORS = ${JSON.stringify(thrownByClient())} as const`),
        map: null,
      }
    },
  }
}

/** The errors that files in src/client throw. */
function thrownByClient(): Partial<typeof ERRORS> {
  const files = readdirSync(CLIENT).filter((name) => name.endsWith('.ts'))
  const text = files.map((name) => readFileSync(`${CLIENT}${name}`, 'utf8')).join('\n')
  const codes = new Set(Array.from(text.matchAll(/ZerohopError\('([A-Z_]+)'/g), ([, code]) => code))
  return Object.fromEntries(Object.entries(ERRORS).filter(([code]) => codes.has(code)))
}
