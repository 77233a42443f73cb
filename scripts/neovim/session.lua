-- An editor without a screen: stops at a launch, steps by lines, steps back, and goes on.
local dap = require('dap')
local out = assert(io.open(os.getenv('SAID'), 'w'))

local function say(...)
  out:write(table.concat({ ... }, ' '), '\n')
  out:flush()
end

local function leave()
  vim.defer_fn(function() vim.cmd('qa!') end, 300)
end

dap.adapters.warpsim = {
  type = 'executable',
  command = os.getenv('WARPSIM'),
  args = { 'exec', '--debug', 'add', '--dap', '--', os.getenv('PYTHON'), os.getenv('PROGRAM') },
  options = { initialize_timeout_sec = 60 },
}

-- What is done after each stop, in turn.
local moves = {
  dap.step_over,
  dap.step_over,
  dap.step_over,
  function()
    say('stepped back')
    dap.step_back()
  end,
  dap.continue,
  dap.continue,
}
local stops = 0

dap.listeners.after['event_stopped']['session'] = function(session, body)
  say('stopped', body.reason, 'thread ' .. tostring(body.threadId))
  -- The frame is asked for behind the event.
  vim.defer_fn(function()
    local frame = session.current_frame
    if frame then
      local source = frame.source and frame.source.name or '?'
      say('  in', frame.name, 'at', source .. ':' .. tostring(frame.line))
    end
    stops = stops + 1
    if moves[stops] then
      moves[stops]()
    end
  end, 500)
end
dap.listeners.after['event_output']['session'] = function(_, body)
  say('output', body.category, (body.output:gsub('\n', ' ')))
end
dap.listeners.after['event_exited']['session'] = function(_, body)
  say('exited', tostring(body.exitCode))
end
dap.listeners.after['event_terminated']['session'] = function()
  say('terminated')
  leave()
end
dap.run({ type = 'warpsim', request = 'launch', name = 'a kernel of a Python program' })
vim.defer_fn(function()
  say('gave up')
  leave()
end, 150000)
