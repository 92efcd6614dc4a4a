// What `npm start` runs: `zerohop serve`, ended together with npm. npm runs a script in a shell, which does not forward
// a SIGTERM to its child: without this, ending `npm start` would leave an orphaned server behind, on the same ports and
// folder.
const PARENT_MS = 250
const parent = process.ppid

setInterval(() => {
  if (process.ppid !== parent) process.kill(process.pid, 'SIGTERM')
}, PARENT_MS).unref()

process.argv.splice(2, 0, 'serve')
await import('../dist/bundle/zerohop.js')
