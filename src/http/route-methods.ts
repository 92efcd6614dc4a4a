// What a request gets that no route takes: 404, or 405 with `Allow` when the path is known under other methods.
import type { Problem } from './errors.ts'

export interface NotedRoute {
  readonly method: string
  /** with `:name` for a part that varies, and `*` for any rest */
  readonly url: string
}

/** The methods that each path takes. Routes may still be added to the list that it was made from until the first question. */
export class RouteMethods {
  readonly #routes: readonly NotedRoute[]
  #patterns: readonly { readonly method: string; readonly pattern: RegExp }[] | undefined

  constructor(routes: readonly NotedRoute[]) {
    this.#routes = routes
  }

  /**
   * Methods of the routes that fit the path (without its query), each once; none for a path of no route, and none when `method` is among
   * them: a route took the request then, and said that there is nothing.
   */
  others(method: string, path: string): readonly string[] {
    this.#patterns ??= this.#routes.map((route) => ({ method: route.method, pattern: patternOf(route.url) }))
    const methods = new Set(this.#patterns.filter(({ pattern }) => pattern.test(path)).map((each) => each.method))
    return methods.has(method) ? [] : [...methods]
  }
}

/** The error of a request without a route, when `others` are the methods that its path takes. */
export function noRouteFor(method: string, others: readonly string[]): Problem {
  if (others.length === 0)
    return { status: 404, errorCode: 'NOT_FOUND', message: `no route for ${method} on this path` }
  const message = `${method} is not allowed on this path, only ${others.join(', ')}`
  return { status: 405, errorCode: 'INVALID_INPUT', message }
}

/** Fits what the router takes for the url: a parameter is one part of the path that is not empty. Runs in linear time. */
function patternOf(url: string): RegExp {
  const parts = url.split(/(:\w+|\*)/)
  const sources = parts.map((part) =>
    part.startsWith(':') ? '[^/]+' : part === '*' ? '.*' : part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'),
  )
  return new RegExp(`^${sources.join('')}$`)
}
