// Draws the picture that the JSON twin of the graph page describes; its points lead to their memories.
(() => {
  const place = document.getElementById("graph");
  if (!place) return;
  const style = getComputedStyle(document.documentElement);
  const ink = (name) => style.getPropertyValue(name).trim();
  const colours = [ink("--accent"), ink("--warn"), ink("--grave")];
  fetch(place.dataset.source, { credentials: "same-origin" })
    .then((answer) => answer.json())
    .then(({ graph }) => {
      if (!graph) return;
      const drawing = new graphology.Graph({ multi: true });
      const { nodes, lines } = graph;
      nodes.seq.forEach((seq, at) =>
        drawing.addNode(seq, {
          x: nodes.x[at],
          y: nodes.y[at],
          size: 2 + Math.min(10, Math.sqrt(nodes.links[at])),
          label: `#${seq}`,
          color: colours[nodes.kind[at]] ?? ink("--soft"),
        }),
      );
      lines.source.forEach((source, at) =>
        drawing.addEdge(nodes.seq[source], nodes.seq[lines.target[at]], {
          size: 1.2,
          color: ink("--edge"),
        }),
      );
      const view = new Sigma(drawing, place, {
        labelColor: { color: ink("--ink") },
        labelRenderedSizeThreshold: 9,
        hideEdgesOnMove: drawing.size > 20000,
      });
      view.on("clickNode", ({ node }) => {
        location.href = place.dataset.memory.replace("/memories/0", `/memories/${node}`);
      });
      place.dataset.drawn = String(drawing.order);
    });
})();
