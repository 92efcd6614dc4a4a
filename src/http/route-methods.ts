// The answer for a request without a route: 404, or 405 with `Allow` when the path exists with other methods.
import type { RouteOptions } from 'fastify'
import type { Problem } from './errors.ts'

export interface NotedRoute extends Pick<RouteOptions, 'schema' | 'config'> {
  readonly method: string
  /** with `:name` for a parameter, and `*` for any rest */
  readonly url: string
}

/** The methods of each path. Routes may be added to the list until the first call of `others`. */
export class RouteMethods {
  readonly #routes: readonly NotedRoute[]
  #patterns: readonly { readonly method: string; readonly pattern: RegExp }[] | undefined

  constructor(routes: readonly NotedRoute[]) {
    this.#routes = routes
  }

  /**
   * Methods of the routes that match the path (without its query), without duplicates. Empty when no route matches, and
   * when `method` is among them: its route has then answered 404 itself.
   */
  others(method: string, path: string): readonly string[] {
    this.#patterns ??= this.#routes.map((route) => ({ method: route.method, pattern: makePattern(route.url) }))
    const methods = new Set(this.#patterns.filter(({ pattern }) => pattern.test(path)).map((each) => each.method))
    return methods.has(method) ? [] : [...methods]
  }
}

/** The error of a request without a route; `others` are the methods of its path. */
export function noRouteFor(method: string, others: readonly string[]): Problem {
  if (others.length === 0)
    return { status: 404, errorCode: 'NOT_FOUND', message: `no route for ${method} on this path` }
  const message = `${method} is not allowed on this path, only ${others.join(', ')}`
  return { status: 405, errorCode: 'INVALID_INPUT', message }
}

/** Matches like the router: a parameter is one non-empty part of the path. Runs in linear time. */
function makePattern(url: string): RegExp {
  const parts = url.split(/(:\w+|\*)/)
  const sources = parts.map((part) =>
    part.startsWith(':') ? '[^/]+' : part === '*' ? '.*' : part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'),
  )
  return new RegExp(`^${sources.join('')}$`)
}
