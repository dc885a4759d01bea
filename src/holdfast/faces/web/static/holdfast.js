/* Keys for reading. Every page works without them: they follow links that are there. */
"use strict";
(function () {
  var at = -1;
  function items() { return Array.prototype.slice.call(document.querySelectorAll("main .item")); }
  function go(step) {
    var all = items();
    if (!all.length) { return; }
    at = Math.min(Math.max(at + step, 0), all.length - 1);
    all.forEach(function (one) { one.classList.remove("current"); });
    all[at].classList.add("current");
    var link = all[at].querySelector("a");
    if (link) { link.focus({ preventScroll: true }); } else { all[at].tabIndex = -1; all[at].focus({ preventScroll: true }); }
    all[at].scrollIntoView({ block: "nearest" });
  }
  function follow(selector) {
    var link = document.querySelector(selector);
    if (link) { link.click(); }
  }
  /* Enter opens the first section that was found, where what is shown is what was asked for. */
  function openFirst(event) {
    var found = document.getElementById("found"), first = found && found.querySelector(".item a");
    if (first && found.dataset.words === event.target.value.trim()) {
      event.preventDefault();
      first.click();
    }
  }
  var keys = {
    j: function () { go(1); },
    k: function () { go(-1); },
    n: function () { follow("a[data-change], a[rel~=next]"); },
    o: function () { follow("a[data-live]"); },
    "?": function () { window.location.assign("/help"); },
    "/": function () {
      var box = document.querySelector("input[type=search]");
      if (box) { box.focus(); box.select(); }
    }
  };
  /* A run that goes on: its lines as it says them. Without this the page refreshes itself. */
  var log = document.querySelector("[data-events]");
  if (log && window.EventSource) {
    var next = Number(log.dataset.next);
    var source = new EventSource(log.dataset.events);
    source.onmessage = function (event) {
      if (Number(event.lastEventId) < next) { return; }
      var atEnd = log.scrollTop + log.clientHeight >= log.scrollHeight - 4;
      log.append(event.data + "\n");
      while (log.childNodes.length > 400) { log.firstChild.remove(); }
      if (atEnd) { log.scrollTop = log.scrollHeight; }
    };
    source.addEventListener("progress", function (event) {
      var far = JSON.parse(event.data), bar = document.getElementById("run-progress");
      document.getElementById("run-count").textContent = far[0] + " of " + far[1];
      if (bar) { bar.max = Math.max(far[1], 1); bar.value = far[0]; }
    });
    source.addEventListener("end", function () { source.close(); window.location.reload(); });
  }
  document.addEventListener("keydown", function (event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) { return; }
    if (/^(input|textarea|select)$/i.test(event.target.tagName)) {
      if (event.key === "Enter" && event.target.id === "words") { openFirst(event); }
      if (event.key === "Escape") { event.target.blur(); }
      return;
    }
    if (Object.prototype.hasOwnProperty.call(keys, event.key)) {
      event.preventDefault();
      keys[event.key]();
    }
  });
}());
