// Puts the server side of the console together: page and rules of its requests (src/http/console), sessions, the link
// that signs in once, and questions to the PDP of the same process.
import type { FastifyInstance } from 'fastify'
import type { LogId } from '../../log/change.ts'
import type { Store } from '../../store/store.ts'
import type { UseCases } from '../../store/view.ts'
import { type ConsoleOptions, serveConsole } from '../console/console.ts'
import { IdentityProvider } from '../console/identity-provider.ts'
import { Sessions } from '../console/sessions.ts'
import { SignInLink } from '../console/sign-in-link.ts'
import type { CookieCaller, Gate } from '../management/auth.ts'
import { questionRoutes } from '../management/console-questions.ts'
import { type UserDoor, userSignInRoutes } from '../management/console-users.ts'
import { cookieCaller, sessionRoutes, signInRoutes } from '../management/routes/console.ts'

/** What the process does with the console. */
interface ServedConsole {
  /** A fresh token of the link that signs in once, with the key whose secret has this hash. */
  link(keyHash: string): string
  /** Questions of the console to a PDP go to this app from now on. */
  answerWith(pdp: FastifyInstance): void
}

declare module 'fastify' {
  interface FastifyInstance {
    /** there when the console is served */
    readonly console: ServedConsole | undefined
  }
}

/** What the gate and the routes behind it need of the console. */
export interface ConsoleServer {
  readonly cookieCaller: CookieCaller
  /** adds the routes that a session is needed for, behind the gate */
  routes(guarded: FastifyInstance): void
}

/** Serves the console. Call it before other routes are added. @param isSecure whether the app listens with TLS */
export function consoleServer(
  app: FastifyInstance,
  store: Pick<Store<UseCases>, 'deriveKey' | 'view'>,
  gate: Gate,
  { organization, ...options }: ConsoleOptions & { readonly organization: LogId },
  isSecure: boolean,
): ConsoleServer {
  const key = store.deriveKey('console sessions')
  const sessions = new Sessions(key)
  const provider = options.provider && new IdentityProvider(options.provider)
  const door: UserDoor = { provider, organization, view: (log) => store.view(log) }
  const link = new SignInLink()
  let answering: FastifyInstance | undefined
  const served: ServedConsole = {
    link: (keyHash) => link.open(keyHash),
    answerWith: (pdp) => {
      answering = pdp
    },
  }
  app.decorate('console', served)
  serveConsole(app, options, isSecure)
  signInRoutes(app, gate, sessions, link)
  userSignInRoutes(app, door, sessions, key)
  return {
    cookieCaller: cookieCaller(gate, door, sessions),
    routes: (guarded) => {
      sessionRoutes(guarded, sessions)
      questionRoutes(guarded, gate, () => answering)
    },
  }
}
