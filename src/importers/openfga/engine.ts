// The old engine of a proof: a running OpenFGA over its HTTP API, which gets a store of its own for the proof; without one,
// what the tests of the store say.
import { ZerohopError } from '../../model/errors.ts'
import { OPENFGA_ANSWER_BYTES_MAX, OPENFGA_ANSWER_TIMEOUT_MS, OPENFGA_WRITE_TUPLES_MAX } from '../../model/limits.ts'
import type { OldEngine } from '../frame/importer.ts'
import type { Asked } from './assertions.ts'
import type { ModelJson } from './parser.ts'
import type { TupleKey } from './tuples.ts'

/** @throws CONFIG_INVALID when no test says anything */
export function openAssertions(count: number): OldEngine<Asked> {
  if (count === 0)
    throw new ZerohopError('CONFIG_INVALID', {
      reason:
        'the store has no tests, so nothing proves what was written: --openfga-url names a running OpenFGA to ask',
    })
  return {
    name: 'the tests of the store',
    ask: ({ expected }) =>
      expected === undefined ? Promise.reject(new Error('no test says it')) : Promise.resolve(expected),
    close: () => Promise.resolve(),
  }
}

/**
 * Makes a store on the server, with the model and the tuples; it is deleted at the end.
 * @throws CONFIG_INVALID when the server does not take them
 */
export async function openServer(
  url: string,
  model: ModelJson,
  tuples: readonly TupleKey[],
): Promise<OldEngine<Asked>> {
  const server = new Server(url)
  const { id: store } = await server.post('/stores', { name: 'zerohop-import' }, readText('id'))
  const at = `/stores/${encodeURIComponent(store)}`
  const close = (): Promise<void> => server.delete(at)
  try {
    const read = readText('authorization_model_id')
    const { authorization_model_id } = await server.post(`${at}/authorization-models`, model, read)
    for (let from = 0; from < tuples.length; from += OPENFGA_WRITE_TUPLES_MAX) {
      const tuple_keys = tuples.slice(from, from + OPENFGA_WRITE_TUPLES_MAX)
      await server.post(`${at}/write`, { authorization_model_id, writes: { tuple_keys } }, () => ({}))
    }
    return {
      name: `OpenFGA at ${url}`,
      async ask({ user, relation, object, tuples: own, context }) {
        const question = {
          ...{ authorization_model_id, tuple_key: { user, relation, object } },
          ...(own.length === 0 ? {} : { contextual_tuples: { tuple_keys: own } }),
          context,
        }
        const { allowed } = await server.post(`${at}/check`, question, readFlag)
        return allowed
      },
      close,
    }
  } catch (error) {
    await close().catch(() => undefined) // the first error is the one to say
    throw error
  }
}

const readText =
  <K extends string>(name: K) =>
  (body: Readonly<Record<string, unknown>>): Readonly<Record<K, string>> | undefined =>
    typeof body[name] === 'string' ? ({ [name]: body[name] } as Record<K, string>) : undefined

/** A flag that is false may be left out. */
const readFlag = ({ allowed = false }: Readonly<Record<string, unknown>>) =>
  typeof allowed === 'boolean' ? { allowed } : undefined

class Server {
  readonly #url: string

  constructor(url: string) {
    const parsed = URL.canParse(url) ? new URL(url) : undefined
    if (parsed === undefined || !/^https?:$/.test(parsed.protocol) || parsed.search !== '' || parsed.hash !== '')
      throw new ZerohopError('CONFIG_INVALID', { reason: `--openfga-url is an address such as http://localhost:8080` })
    this.#url = url.replace(/\/+$/, '')
  }

  async post<T>(
    path: string,
    body: object,
    read: (answer: Readonly<Record<string, unknown>>) => T | undefined,
  ): Promise<T> {
    const text = await this.#send('POST', path, JSON.stringify(body))
    let answer: unknown
    try {
      answer = text === '' ? {} : JSON.parse(text)
    } catch {
      answer = undefined
    }
    const value = typeof answer === 'object' && answer !== null ? read(answer as Record<string, unknown>) : undefined
    if (value === undefined) throw this.#failed(path, 'it does not answer as OpenFGA does')
    return value
  }

  async delete(path: string): Promise<void> {
    await this.#send('DELETE', path, undefined)
  }

  async #send(method: string, path: string, body: string | undefined): Promise<string> {
    try {
      const answer = await fetch(`${this.#url}${path}`, {
        ...{ method, redirect: 'error', signal: AbortSignal.timeout(OPENFGA_ANSWER_TIMEOUT_MS) },
        ...(body === undefined ? {} : { body, headers: { 'content-type': 'application/json' } }),
      })
      const text = await readBody(answer)
      if (!answer.ok) throw this.#failed(path, `${answer.status} ${text.slice(0, 500)}`.trim())
      return text
    } catch (error) {
      if (error instanceof ZerohopError) throw error
      const { cause, message } = error as Error & { readonly cause?: { readonly code?: string } }
      throw this.#failed(path, cause?.code ?? message)
    }
  }

  #failed(path: string, reason: string): ZerohopError {
    return new ZerohopError('CONFIG_INVALID', { reason: `OpenFGA at ${this.#url}${path}: ${reason}` })
  }
}

async function readBody(answer: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of answer.body ?? []) {
    bytes += chunk.byteLength
    if (bytes > OPENFGA_ANSWER_BYTES_MAX) throw new Error(`its answer is larger than ${OPENFGA_ANSWER_BYTES_MAX} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
