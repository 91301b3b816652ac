// Returns the faults of the open page that can be measured, each as a sentence.
({ width, onPaper }) => {
  const faults = [];
  const name = (element) => {
    const id = element.id ? `#${element.id}` : "";
    return `<${element.localName}${id}> ${element.textContent.trim().slice(0, 60)}`;
  };
  const right = (element) => Math.ceil(element.getBoundingClientRect().right);
  const clips = (element) => getComputedStyle(element).overflowX !== "visible";
  const clipped = (element) => {
    const box = element.parentElement;
    return box !== document.body && (clips(box) || clipped(box));
  };

  const wide = document.scrollingElement.scrollWidth;
  if (wide > width) {
    const all = [...document.body.querySelectorAll("*")].filter((it) => right(it) > width);
    const seen = all.filter((it) => !clipped(it));
    const widest = seen.sort((a, b) => right(b) - right(a))[0];
    faults.push(`scrolls sideways: ${wide} of ${width} px, for ${widest ? name(widest) : "?"}`);
  }

  if (onPaper) {
    for (const box of document.body.querySelectorAll("*")) {
      if (clips(box) && box.clientWidth && box.scrollWidth > box.clientWidth + 1) {
        faults.push(`cut off on paper: ${name(box)}`);
      }
    }
  }

  for (const image of document.images) {
    if (!image.complete || image.naturalWidth === 0) {
      faults.push(`image not loaded: ${image.getAttribute("src")}`);
    }
  }

  for (const table of document.querySelectorAll("table")) {
    const heads = [...table.querySelectorAll("thead th")];
    if (!heads.length || heads.some((head) => !head.textContent.trim())) {
      faults.push(`table without heads: ${name(table)}`);
    }
  }

  for (const link of document.querySelectorAll("a[href^='#']")) {
    const id = decodeURIComponent(link.getAttribute("href").slice(1));
    if (id && !document.getElementById(id)) faults.push(`dead link: #${id}`);
  }
  return faults;
}
