// What `npm start` runs: `zerohop serve`, ended together with npm. npm runs a script in a shell, and a shell that is told to end does not tell
// its child: without this, a SIGTERM to `npm start` leaves a server behind that nobody waits for, on the same ports and folder.
const PARENT_MS = 250
const parent = process.ppid

setInterval(() => {
  if (process.ppid !== parent) process.kill(process.pid, 'SIGTERM')
}, PARENT_MS).unref()

process.argv.splice(2, 0, 'serve')
await import('../dist/bundle/zerohop.js')
