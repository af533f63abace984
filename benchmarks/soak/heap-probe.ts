/**
 * Loaded into the server of a soak: at SIGUSR2 it collects all garbage and says what is left. Resident memory tells little
 * about a leak, because the engine lets its heap grow while there is memory.
 */
process.on("SIGUSR2", () => {
  global.gc?.()
  const { heapUsed, rss } = process.memoryUsage()
  console.log(JSON.stringify({ heapUsed, rss }))
})
