// Forwards to the management API with `reply.from` of @fastify/reply-from, which is loaded for the first forwarded
// request: the plugin imports an HTTP client (undici) that takes as long to load as Fastify, and most PDPs forward
// nothing in their first seconds. A plugin cannot be registered on a listening server, so it is called here with the
// four members of an instance that it uses.
import type { FastifyReplyFromOptions } from '@fastify/reply-from'
import type { FastifyInstance, FastifyReply } from 'fastify'

type From = FastifyReply['from']
type OnClose = (app: FastifyInstance, done: () => void) => void

export class Upstream {
  readonly #options: FastifyReplyFromOptions
  #loading: Promise<From> | undefined
  #onClose: OnClose | undefined

  constructor(options: FastifyReplyFromOptions) {
    this.#options = options
  }

  /** The function that forwards a request, to be called with the reply as `this`. */
  from(): Promise<From> {
    this.#loading ??= this.#load().catch((error: unknown) => {
      this.#loading = undefined // the next request tries again
      throw error
    })
    return this.#loading
  }

  /** Ends the connections. */
  async close(app: FastifyInstance): Promise<void> {
    await this.#loading?.catch(() => undefined)
    const onClose = this.#onClose
    if (onClose !== undefined) await new Promise<void>((resolve) => onClose(app, resolve))
  }

  async #load(): Promise<From> {
    const { default: replyFrom } = await import('@fastify/reply-from')
    let from: From | undefined
    const host = {
      decorateReply: (_name: 'from', value: From) => {
        from = value
      },
      onClose: (hook: OnClose) => {
        this.#onClose = hook
      },
      addHook: () => undefined,
      hasPlugin: () => false,
    }
    await new Promise<void>((resolve, reject) =>
      replyFrom(host as unknown as FastifyInstance, this.#options, (error) => (error ? reject(error) : resolve())),
    )
    if (from === undefined) throw new Error('@fastify/reply-from decorates no reply')
    return from
  }
}
