// What `npm start` runs: `zerohop serve`, ended together with npm. npm runs a script in a shell, which does not forward
// a SIGTERM to its child: without this, ending `npm start` would leave an orphaned server behind, on the same ports and
// folder.
const PARENT_MS = 250
const parent = process.ppid

const look = setInterval(() => {
  if (process.ppid === parent) return
  clearInterval(look) // a second signal would kill it before it has closed
  process.kill(process.pid, 'SIGTERM')
}, PARENT_MS).unref()

// nobody balances the load of a server that is tried out
process.env.ZEROHOP_DRAIN_SECONDS ??= '0'
process.argv.splice(2, 0, 'serve')
await import('../dist/bundle/zerohop.js')
