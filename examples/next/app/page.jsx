// A server component: it lists by a filter, and gives the snapshot of its user to the page as a prop.
import { makeSnapshot, readable, session } from './authorization.js'
import { Documents, SignIn } from './documents.jsx'

export default async function Page() {
  const who = await session()
  if (who === undefined) return <SignIn />
  const rows = (await readable(who)).map((row) => ({ ...row }))
  return (
    <>
      <h1>Documents of {who.user}</h1>
      <SignIn />
      <Documents key={who.user} tenant={who.tenant} rows={rows} snapshot={await makeSnapshot(who)} />
    </>
  )
}
