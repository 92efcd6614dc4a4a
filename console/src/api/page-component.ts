// The component of a page is loaded when the page is opened. When the server has other files after an update, the router
// loads the whole console anew.
import { lazyRouteComponent } from '@tanstack/react-router'
import { loadWhenThere } from './load-when-there.ts'

/**
 * The component of a page.
 * @param load the module of the page
 * @param name what the module calls the component
 */
export function pageComponent<M extends Record<string, unknown>, N extends keyof M>(load: () => Promise<M>, name: N) {
  return lazyRouteComponent(() => loadWhenThere(load), name)
}
