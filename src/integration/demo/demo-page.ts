// The pages of `zerohop integration --demo`: one that signs in by authorization code with PKCE and calls the backend,
// and the form of the stand-in provider. Plain text here, so that the build needs no bundler; nothing is loaded from
// elsewhere.

const BANNER = `<p class="stand-in">STAND-IN identity provider: anyone can sign in as any user. For trying out on this machine only.</p>`

const head = (title: string): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
  `<title>${title}</title><link rel="stylesheet" href="/demo.css">`

/** The page that a visitor sees. `clientId` is the app's id at the provider. */
export function demoPage(clientId: string): string {
  return `${head('Zerohop: say or wave')}
${BANNER}
<h1>May I say hello?</h1>
<p id="who">Nobody is signed in.</p>
<p>
  <button id="sign-in" data-client="${escaped(clientId)}">Sign in</button>
  <button id="sync" disabled>Sync</button>
  <button id="wave" disabled>Wave</button>
  <button id="say" disabled>Say</button>
  <button id="sign-out" disabled>Sign out</button>
</p>
<ol id="answers" aria-live="polite"></ol>
<script type="module" src="/demo.js"></script>
`
}

/** The sign-in form of the stand-in; it repeats the parameters of the request and adds the user. */
export function signInPage(fields: Readonly<Record<string, string | undefined>>, clientId: string): string {
  const hidden = Object.entries(fields)
    .map(([name, value]) => `<input type="hidden" name="${escaped(name)}" value="${escaped(value ?? '')}">`)
    .join('\n')
  return `${head('Stand-in: sign in')}
${BANNER}
<h1>Sign in to ${escaped(clientId)}</h1>
<form method="get">
${hidden}
<label>User key <input name="user" value="ben" required pattern="[\\w|@+.\\-]+" autofocus></label>
<button>Sign in</button>
<p>In the example policy <code>ben</code> is a viewer, who may wave, and <code>ana</code> an admin, who may also say.</p>
</form>
`
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (mark) => `&#${mark.charCodeAt(0)};`)
}

export const DEMO_CSS = `
body { font: 16px/1.5 system-ui, sans-serif; max-width: 40rem; margin: 2rem auto; padding: 0 1rem; color: #1c1c1c; background: #fff }
.stand-in { border: 2px solid #b00020; background: #fdecef; color: #7a0016; padding: .5rem 1rem; font-weight: 600 }
button { font: inherit; padding: .35rem .9rem; margin-right: .25rem }
li.good { color: #0b6b2e } li.bad { color: #a3001b }
code { background: #f2f2f2; padding: 0 .25rem }
`

/**
 * The script of the page. Tokens are kept in memory only; what must survive the redirect to the provider is in
 * sessionStorage.
 */
export const DEMO_JS = `
const REDIRECT = location.origin + '/'
const byId = (id) => document.getElementById(id)
const client = byId('sign-in').dataset.client
let tokens

const base64url = (bytes) => btoa(String.fromCharCode(...new Uint8Array(bytes))).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
const random = () => base64url(crypto.getRandomValues(new Uint8Array(32)))

function show(action, status, text) {
  const item = document.createElement('li')
  item.dataset.action = action
  item.dataset.status = status
  item.className = status === 200 ? 'good' : 'bad'
  item.textContent = action + ': ' + status + ' ' + text
  byId('answers').append(item)
}

async function signIn() {
  const verifier = random()
  const state = random()
  const nonce = random()
  sessionStorage.setItem('signing-in', JSON.stringify({ verifier, state, nonce }))
  const challenge = base64url(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier)))
  const query = { response_type: 'code', client_id: client, redirect_uri: REDIRECT, scope: 'openid', state, nonce, code_challenge: challenge, code_challenge_method: 'S256' }
  location.assign('/stand-in/authorize?' + new URLSearchParams(query))
}

async function finishSignIn() {
  const query = new URLSearchParams(location.search)
  if (!query.has('code')) return
  history.replaceState(null, '', '/')
  const { verifier, state, nonce } = JSON.parse(sessionStorage.getItem('signing-in') ?? '{}')
  sessionStorage.removeItem('signing-in')
  if (state === undefined || state !== query.get('state')) return show('sign in', 400, 'this answer belongs to no sign-in of this page')
  const body = new URLSearchParams({ grant_type: 'authorization_code', code: query.get('code'), code_verifier: verifier, client_id: client, redirect_uri: REDIRECT })
  const response = await fetch('/stand-in/token', { method: 'POST', body })
  if (!response.ok) return show('sign in', response.status, await response.text())
  const given = await response.json()
  const claims = JSON.parse(atob(given.id_token.split('.')[1].replaceAll('-', '+').replaceAll('_', '/')))
  if (claims.nonce !== nonce) return show('sign in', 400, 'this token was made for another sign-in')
  tokens = given
  byId('who').textContent = 'Signed in as ' + claims.sub + '.'
  for (const id of ['sync', 'wave', 'say', 'sign-out']) byId(id).disabled = false
  await call('sync', '/api/sync', tokens.access_token)
}

async function call(action, path, token) {
  try {
    const response = await fetch(path, { method: 'POST', headers: { authorization: 'Bearer ' + token } })
    show(action, response.status, await response.text())
  } catch (error) {
    show(action, 0, String(error))
  }
}

byId('sign-in').onclick = signIn
byId('sync').onclick = () => call('sync', '/api/sync', tokens.access_token)
byId('wave').onclick = () => call('wave', '/wave_hello', tokens.id_token)
byId('say').onclick = () => call('say', '/say_hello', tokens.id_token)
byId('sign-out').onclick = () => location.assign('/')
await finishSignIn().catch((error) => show('sign in', 0, String(error)))
`
