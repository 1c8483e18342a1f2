package main

import (
	"errors"
	"fmt"
	"image/color"
	"os"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// palette is Okabe and Ito's, which the colour-blind can tell apart. On white, which the chart brings along, it is readable
// wherever the page is dark.
var palette = []color.Color{
	color.RGBA{0x00, 0x72, 0xb2, 0xff},
	color.RGBA{0xe6, 0x9f, 0x00, 0xff},
	color.RGBA{0x00, 0x9e, 0x73, 0xff},
	color.RGBA{0xcc, 0x79, 0xa7, 0xff},
	color.RGBA{0x56, 0xb4, 0xe9, 0xff},
	color.RGBA{0xd5, 0x5e, 0x00, 0xff},
}

const (
	chartWidth  = 10 * vg.Inch
	chartHeight = 4 * vg.Inch
)

// chart draws the results that there are.
func chart(r *results, path string) error {
	plot.DefaultFont.Variant = "Sans"
	multiples, err := multiplesPlot(r.CLI)
	if err != nil {
		return err
	}
	swaps, err := swapsPlot(r.Engine)
	if err != nil {
		return err
	}
	canvas := vgsvg.New(chartWidth, chartHeight)
	drawPlots(draw.New(canvas), multiples, swaps)
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = canvas.WriteTo(f)
	return errors.Join(err, f.Close())
}

// drawPlots draws plots side by side on white.
func drawPlots(c draw.Canvas, plots ...*plot.Plot) {
	c.SetColor(color.White)
	c.Fill(c.Path())
	tiles := draw.Tiles{Rows: 1, Cols: len(plots), PadX: vg.Millimeter * 8, PadTop: 12, PadBottom: 8, PadLeft: 8, PadRight: 16}
	for i, p := range plots {
		p.BackgroundColor = color.White
		p.Legend.Top = true
		p.Legend.Padding = 2
		p.Legend.ThumbnailWidth = 12
		p.Draw(tiles.At(c, i, 0))
	}
}

// multiplesPlot has a bar for each step of the command line and each setting, with entries of one ConfigMap.
func multiplesPlot(rows []cliRow) (*plot.Plot, error) {
	p := plot.New()
	p.Title.Text = "terraform, entries of one ConfigMap"
	p.Y.Label.Text = "multiples of a provider that does nothing"
	p.Y.Min = 0
	names := make([]string, len(steps))
	for i, step := range steps {
		names[i] = step.name
	}
	p.NominalX(names...)

	series := map[string]plotter.Values{}
	var order []string
	for _, row := range rows {
		if row.Subject == subjectFloor || row.Shape != oneMap {
			continue
		}
		name := fmt.Sprintf("%s, %d entries, %s", row.Subject, row.Entries, row.Place)
		if series[name] == nil {
			order = append(order, name)
		}
		series[name] = append(series[name], row.multiple(rows))
		p.Y.Max = max(p.Y.Max, 1.5*row.multiple(rows)) // room for the legend
	}
	width := vg.Points(60 / float64(max(len(order), 1)))
	for i, name := range order {
		bars, err := plotter.NewBarChart(series[name], width)
		if err != nil {
			return nil, err
		}
		bars.Color, bars.LineStyle.Width = palette[i%len(palette)], 0
		bars.Offset = width * vg.Length(float64(i)-float64(len(order)-1)/2)
		p.Add(bars)
		p.Legend.Add(name, bars)
	}
	one := plotter.NewFunction(func(float64) float64 { return 1 })
	one.Dashes = []vg.Length{vg.Points(4), vg.Points(3)}
	p.Add(one)
	return p, nil
}

// swapsPlot has a line for each writer and each size of one ConfigMap: time for a swap by how many are under way.
func swapsPlot(rows []engineRow) (*plot.Plot, error) {
	p := plot.New()
	p.Title.Text = "100 swaps of one ConfigMap, no command line"
	p.X.Label.Text = "at a time"
	p.Y.Label.Text = "ms a swap"
	p.X.Scale, p.Y.Scale = plot.LogScale{}, plot.LogScale{}
	p.X.Tick.Marker, p.Y.Tick.Marker = plot.LogTicks{Prec: -1}, plot.LogTicks{Prec: -1}
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 1, 100, 0.1, 1000

	series := map[string]plotter.XYs{}
	var order []string
	for _, row := range rows {
		if row.Place != loopback || row.Shape != oneMap || row.Swaps != 100 || row.milliseconds() <= 0 {
			continue
		}
		name := fmt.Sprintf("%s, %d KiB", strings.ReplaceAll(row.Writer, ", ", "-"), row.KiB)
		if series[name] == nil {
			order = append(order, name)
		}
		series[name] = append(series[name], plotter.XY{X: float64(row.Parallel), Y: row.milliseconds()})
	}
	for i, name := range order {
		line, points, err := plotter.NewLinePoints(series[name])
		if err != nil {
			return nil, err
		}
		line.Width, line.Color = vg.Points(1.5), palette[i%len(palette)]
		points.Color, points.Shape, points.Radius = line.Color, draw.CircleGlyph{}, vg.Points(2.5)
		p.Add(line, points)
		p.Legend.Add(name, line, points)
	}
	p.Y.Max *= 300 // room for the legend, on a logarithmic scale
	p.Add(plotter.NewGrid())
	return p, nil
}
