// Pages are loaded when they are opened. While the server is away that waits, instead of loading the whole console
// anew, by which everything that was typed would be lost.
import { lazyRouteComponent } from '@tanstack/react-router'
import { serverAnswers, serverIsAway, serverIsBack } from './connection.ts'
import { queryClient } from './query-client.ts'

/**
 * The component of a page.
 * @param load the module of the page
 * @param name what the module calls the component
 */
export function pageComponent<M extends Record<string, unknown>, N extends keyof M>(load: () => Promise<M>, name: N) {
  return lazyRouteComponent(() => loaded(load), name)
}

/**
 * @throws what `load` throws when the server is there: after an update it has other files, and the router starts anew
 */
async function loaded<M>(load: () => Promise<M>): Promise<M> {
  try {
    return await load()
  } catch (error) {
    if (await serverAnswers()) throw error
    serverIsAway(() => void queryClient.invalidateQueries())
    await serverIsBack()
    return load()
  }
}
